#include "taxel/gel/gel_core.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "taxel/math/error.h"

namespace taxel {

GelCore::GelCore(const std::vector<Vec3>& x_cells, const TransferOptions& transfer, int threads)
    : crew_(std::make_unique<ThreadCrew>(threads)), transfer_(transfer) {
  scratch_.resize(static_cast<std::size_t>(crew_->size()));
  particles_.Assign(x_cells);
  Sort();
  if (transfer.frame == GelFrame::kRest) particles_.StayAtRest();
}

void GelCore::Sort() {
  particles_.Sort(crew_.get());
  Fit();
  drifted_ = 0;
  sorted_ = true;
}

void GelCore::Fit() {
  grid_.Fit(particles_.blocks());
  const auto& blocks = particles_.blocks();
  filled_ = static_cast<int>(
      std::count_if(blocks.begin(), blocks.end(), [](const auto& b) { return b.count > 0; }));
}

void GelCore::Restore(const ParticleBlocks& particles, float drifted, float fastest) {
  particles_ = particles;
  drifted_ = drifted;
  fastest_ = fastest;
  blown_up_ = false;
  Fit();
}

void GelCore::Scatter(const float* gravity) {
  if (blown_up_)
    throw Error("gel: it blew up in step " + std::to_string(steps_) +
                " and cannot go on; restore a state saved before, or make a new one");
  const std::vector<GridBlock>& blocks = particles_.blocks();
  crew_->For(filled_, 4, [&](int b, int) {
    const GridBlock& block = blocks[static_cast<std::size_t>(b)];
    ScatterBlock(transfer_, &particles_.groups()[static_cast<std::size_t>(block.group)], block.count,
                 grid_.reach(b));
  });
  crew_->For(static_cast<int>(blocks.size()), 16, [&](int b, int) { grid_.Sum(blocks, b, gravity); });
}

void GelCore::Gather(const HandOfBlock& hand, const std::string& advice) {
  const std::vector<GridBlock>& blocks = particles_.blocks();
  moved_.resize(static_cast<std::size_t>(filled_));
  crew_->For(filled_, 4, [&](int b, int thread) {
    const GridBlock& block = blocks[static_cast<std::size_t>(b)];
    ReachNodes& reach = scratch_[static_cast<std::size_t>(thread)];
    grid_.Load(blocks, b, &reach);
    const auto first = static_cast<std::size_t>(block.group);
    ParticleGroup* groups = &particles_.groups()[first];
    moved_[static_cast<std::size_t>(b)] =
        particles_.at_rest() ? GatherBlockAtRest(reach, groups, &particles_.moved()[first], block.count)
                             : GatherBlock(reach, hand ? hand(b, thread) : nullptr, groups, block.count);
  });
  fastest_ = 0;
  for (const float m : moved_) {
    if (!(m < 0.5f)) BlowUp(advice);
    fastest_ = std::max(fastest_, m);
  }
  drifted_ += fastest_;
  ++steps_;
  sorted_ = false;
  if (particles_.at_rest()) {
    if (drifted_ > 2) particles_.Rebase(), drifted_ = 0;
  } else if (drifted_ > 0.99f) {
    Sort();  // beyond one cell a particle would leave the reach of its block
  }
}

void GelCore::BlowUp(const std::string& advice) {
  blown_up_ = true;
  std::size_t worst = 0;
  double most = -1;
  for (std::size_t p = 0; p < particles_.size(); ++p) {
    const GelParticle q = particles_.Get(p);
    const double m = std::max({std::fabs(q.v[0]), std::fabs(q.v[1]), std::fabs(q.v[2])});
    const bool broken = !std::isfinite(q.v[0] + q.v[1] + q.v[2]);
    if (broken || m > most) worst = p, most = broken ? std::numeric_limits<double>::infinity() : m;
    if (broken) break;
  }
  throw Error("gel: blow-up in step " + std::to_string(steps_) + ": particle " + std::to_string(worst) +
              " moved " + (std::isinf(most) ? std::string("without bound") : ToText(most) + " cells") +
              " in one step (at most 0.5); " + advice);
}

}  // namespace taxel
