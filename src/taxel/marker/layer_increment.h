// One increment of a gel of mode layer, by a team of lanes: LayerField::Meet and Increment.
#pragma once

#include "taxel/marker/layer_program.h"

namespace taxel::internal {

/// Cells that an object may reach.
struct LayerRange {
  int i0, i1, j0, j1;
};

/// What a team works in; nothing of it outlives a step.
struct LayerScratch {
  float* height;        ///< (cells) of the nearest object over each; infinity where there is none
  std::uint8_t* owner;  ///< (cells)
  int* place;           ///< (chunks of the gel): where each is in `work`, -1: nowhere
  int* list;            ///< (most_chunks)
  float* small_work;    ///< of small_chunks; in fast memory
  float* large_work;    ///< of most_chunks
  int small_chunks;
  float* partial;      ///< 8 kLayerLanes
  Pose* X_IP;          ///< (objects), of the last Meet
  Pose* before;        ///< (objects), inverse poses that a state belongs to
  Pose* change;        ///< (objects), from there to now
  LayerRange* range;   ///< (objects)
  Pose *start, *part;  ///< (objects), of a step
  Pose* shifted;       ///< (objects)
  Box3* near;          ///< (objects), of the cells where it overlaps the gel
  Pose* X;             ///< (objects), for the caller
  LayerMemory shown, passing;
  float* marker_sums;  ///< 2 kLayerLanes; used when `partial` is not

  /// Bytes in fast and in slow memory; both start at a multiple of 16.
  static std::size_t FastBytes(const LayerScene& s, int small_chunks) {
    return sizeof(float) * 8 * kLayerLanes +
           LayerWork::kBytesPerChunk * static_cast<std::size_t>(small_chunks) +
           (7 * sizeof(Pose) + sizeof(Box3) + sizeof(LayerRange)) * static_cast<std::size_t>(s.objects);
  }
  static std::size_t SlowBytes(const LayerScene& s, int small_chunks) {
    const std::size_t most = static_cast<std::size_t>(s.most_chunks),
                      large = s.most_chunks > small_chunks ? LayerWork::kBytesPerChunk * most : 0;
    const std::size_t bytes = large + 2 * LayerMemory::Bytes(s.objects, s.most_chunks) +
                              sizeof(int) * (static_cast<std::size_t>(s.chunks()) + most) +
                              (sizeof(float) + 1) * static_cast<std::size_t>(s.cells());
    return (bytes + 255) / 256 * 256;
  }
  TAXEL_HD static LayerScratch Carve(const LayerScene& s, int small_chunks, std::size_t memory_bytes,
                                     void* fast, void* slow) {
    LayerScratch out{};
    char* f = static_cast<char*>(fast);
    out.small_chunks = small_chunks;
    out.partial = out.marker_sums = reinterpret_cast<float*>(f);
    f += sizeof(float) * 8 * kLayerLanes;
    out.small_work = reinterpret_cast<float*>(f);
    f += LayerWork::kBytesPerChunk * static_cast<std::size_t>(small_chunks);
    Pose* X = reinterpret_cast<Pose*>(f);
    out.X_IP = X, out.before = X + s.objects, out.change = X + 2 * s.objects, out.start = X + 3 * s.objects;
    out.part = X + 4 * s.objects, out.shifted = X + 5 * s.objects, out.X = X + 6 * s.objects;
    out.near = reinterpret_cast<Box3*>(X + 7 * s.objects);
    out.range = reinterpret_cast<LayerRange*>(out.near + s.objects);
    char* g = static_cast<char*>(slow);
    out.large_work = reinterpret_cast<float*>(g);
    if (s.most_chunks > small_chunks)
      g += LayerWork::kBytesPerChunk * static_cast<std::size_t>(s.most_chunks);
    out.shown = LayerMemory::At(g, s.objects);
    out.passing = LayerMemory::At(g + memory_bytes, s.objects);
    out.height = reinterpret_cast<float*>(g + 2 * memory_bytes);
    out.place = reinterpret_cast<int*>(out.height + s.cells());
    out.list = out.place + s.chunks();
    out.owner = reinterpret_cast<std::uint8_t*>(out.list + s.most_chunks);
    return out;
  }
};
static_assert(LayerWork::kBytesPerChunk % 16 == 0);

TAXEL_APART TAXEL_HD inline double LayerHeightOf(const LayerScene& s, int object, const Pose& X_IP,
                                                 const LayerPlace& at) {
  return HeightAlong(s.object[object], X_IP * at.p, X_IP.R * at.g,
                     -kLayerDeepest * (s.thickness + at.height));
}

TAXEL_HD inline void CutRange(double from, double to, double start, double pitch, int* first, int* last) {
  const auto within = [](double x) { return x < -1 ? -1.0 : (x > 1e6 ? 1e6 : x); };
  const int a = static_cast<int>(std::ceil(within((from - start) / pitch))),
            b = static_cast<int>(std::floor(within((to - start) / pitch)));
  *first = a > *first ? a : *first;
  *last = b < *last ? b : *last;
}

TAXEL_HD inline LayerRange RangeOf(const LayerScene& s, const LayerObject& object, const Pose& X) {
  LayerRange out{0, s.nx - 1, 0, s.ny - 1};
  if (object.endless) return out;
  const Vec3 middle = X * (0.5 * (object.box.lo + object.box.hi)), half = 0.5 * object.box.size();
  double reach[3];
  for (int k = 0; k < 3; ++k)
    reach[k] = std::fabs(X.R.m[3 * k]) * half.x + std::fabs(X.R.m[3 * k + 1]) * half.y +
               std::fabs(X.R.m[3 * k + 2]) * half.z;
  // Lines along a sloping normal may meet what lies beside the cell.
  const double slack = s.flat ? 0 : 2 * s.thickness;
  CutRange(middle.x - reach[0] - slack, middle.x + reach[0] + slack, s.x0, s.pitch, &out.i0, &out.i1);
  CutRange(middle.y - reach[1] - slack, middle.y + reach[1] + slack, s.y0, s.pitch, &out.j0, &out.j1);
  if (middle.z - reach[2] > s.highest + s.thickness) out.i1 = -1;
  return out;
}

/// Heights of all objects over the cells; the deepest overlap.
template <typename Team>
TAXEL_APART TAXEL_HD double MeetObjects(Team& team, const LayerScene& s, const LayerScratch& m,
                                        const Pose* X) {
  team.For(s.objects, [&](int o) {
    m.X_IP[o] = Inverse(X[o]);
    m.range[o] = RangeOf(s, s.object[o], X[o]);
  });
  return team
      .template Reduce<LayerMost>(s.cells(),
                                  [&](int k, LayerMost* deepest) {
                                    const int i = k / s.ny, j = k - i * s.ny;
                                    float height = static_cast<float>(kNoSpan);
                                    int owner = 0;
                                    for (int o = 0; o < s.objects; ++o) {
                                      const LayerRange& r = m.range[o];
                                      if (i < r.i0 || i > r.i1 || j < r.j0 || j > r.j1 || !s.is_cell(k))
                                        continue;
                                      const double h = LayerHeightOf(s, o, m.X_IP[o], s.place_of(k));
                                      if (!(h < s.thickness)) continue;
                                      if (h < height) height = static_cast<float>(h), owner = o;
                                      deepest->Include(-h);
                                    }
                                    m.height[k] = height;
                                    m.owner[k] = static_cast<std::uint8_t>(owner);
                                  })
      .value;
}

/// Of a point of the gel that an object carries from one pose to the next.
TAXEL_HD inline Vec3 CarriedBy(const Pose& change, const Vec3& p) { return change * p - p; }

/// An increment from the tractions of a memory to the poses X, which the last Meet was about.
template <typename Team>
class LayerIncrement {
 public:
  TAXEL_HD LayerIncrement(Team* team, const LayerScene& scene, const LayerScratch& scratch,
                          const LayerNumbers& numbers, int* rounds)
      : team_(*team), s_(scene), m_(scratch), numbers_(numbers), rounds_(rounds) {}

  /// from and to may be the same. False where the chunks do not fit; nothing has changed then.
  TAXEL_HD bool Solve(const Pose* X, double deepest, const LayerMemory& from, const LayerMemory& to) {
    if (!(deepest > 0)) {
      Finish(X, 0, to);
      return true;
    }
    if (!Begin(static_cast<float>(kLayerBulge * deepest), from)) return false;
    Blend();
    Before();
    Start(X, from);
    const double slack = kLayerTolerance * deepest;
    for (int sweep = 0; sweep < kLayerSweeps; ++sweep) {
      Pressure(slack, sweep == 0 ? kLayerPressureRounds : kLayerPressureRounds / 2);
      if (!(numbers_.friction > 0)) break;
      if (sweep == 0) {
        Friction(false, false, slack, kLayerFreeRounds);
        Follow();
      }
      Friction(true, sweep == 0, slack, kLayerFrictionRounds);
    }
    const float *p = w_.field(kSlotP), *tx = w_.field(kSlotTx), *ty = w_.field(kSlotTy);
    const LayerFlags* flags = w_.flags();
    const int count = team_.List(
        w_.slots(), [&](int i) { return flags[i].reach && p[i] > 0; },
        [&](int place, int i) {
          to.contact[place] = {s_.cell_of(w_.chunk()[i / kLayerChunk], i % kLayerChunk), flags[i].owner,
                               tx[i], ty[i], p[i]};
        });
    Finish(X, count, to);
    return true;
  }

  TAXEL_HD const LayerInfluences& influences() const { return t_; }

 private:
  TAXEL_HD void Finish(const Pose* X, int count, const LayerMemory& to) {
    team_.For(s_.objects, [&](int o) {
      to.X_PI[o] = X[o];
      if (o == 0) *to.head = {1, count};
    });
  }

  // The chunks that an object can reach or that were held, with the old tractions in them.
  TAXEL_HD bool Begin(float highest, const LayerMemory& from) {
    const int held = from.head->count;
    team_.For(s_.chunks(), [&](int c) {
      bool any = false;
      for (int r = 0; r < kLayerChunk; ++r) {
        const int k = s_.cell_of(c, r);
        any = any || (k >= 0 && m_.height[k] < highest);
      }
      m_.place[c] = any ? 0 : -1;
    });
    team_.For(held, [&](int i) {  // the first cell of each chunk alone
      const int chunk = s_.chunk_of(from.contact[i].cell);
      if (i == 0 || s_.chunk_of(from.contact[i - 1].cell) != chunk) m_.place[chunk] = 0;
    });
    const int count = team_.List(
        s_.chunks(), [&](int c) { return m_.place[c] == 0; },
        [&](int place, int c) {
          if (place < s_.most_chunks) m_.list[place] = c;
        });
    if (count > s_.most_chunks) return false;
    w_.chunks = count;
    w_.base = count <= m_.small_chunks ? m_.small_work : m_.large_work;
    team_.For(count, [&](int c) {
      const int chunk = m_.list[c], row = chunk / s_.chunks_y;
      m_.place[chunk] = c;
      w_.chunk()[c] = chunk;
      w_.at()[c] = row * s_.stride + (chunk - row * s_.chunks_y) * kLayerChunk;
      for (int r = 0; r < kLayerChunk; ++r) {
        const int i = kLayerChunk * c + r, k = s_.cell_of(chunk, r);
        const bool reach = k >= 0 && m_.height[k] < highest;
        w_.flags()[i] = {reach, 1, static_cast<unsigned char>(reach ? m_.owner[k] : 0), kNoObject};
        w_.field(kSlotHeight)[i] = reach ? m_.height[k] : 0.0f;
        w_.field(kSlotP)[i] = w_.field(kSlotTx)[i] = w_.field(kSlotTy)[i] = 0;
      }
    });
    team_.For(held, [&](int k) {
      const LayerContact& old = from.contact[k];
      const int i = kLayerChunk * m_.place[s_.chunk_of(old.cell)] + s_.lane_of(old.cell);
      w_.field(kSlotP)[i] = old.p;
      w_.field(kSlotTx)[i] = old.tx;
      w_.field(kSlotTy)[i] = old.ty;
      w_.flags()[i].before = static_cast<unsigned char>(old.object);
    });
    return true;
  }

  // Tables for the thickness of the gel where it is touched.
  TAXEL_HD void Blend() {
    const int size = s_.table_size, middle = (s_.nx - 1) * s_.stride + s_.across();
    t_ = {s_.tables, nullptr, 0, 0, size, middle};
    if (s_.levels == 1) return;
    const LayerTotals sum = team_.template Reduce<LayerTotals>(w_.slots(), [&](int i, LayerTotals* total) {
      const double over = -static_cast<double>(w_.field(kSlotHeight)[i]);
      if (!w_.flags()[i].reach || !(over > 0)) return;
      const int k = s_.cell_of(w_.chunk()[i / kLayerChunk], i % kLayerChunk);
      total->a += over * (s_.thickness + s_.place_of(k).height);
      total->b += over;
    });
    const double thick = sum.b > 0 ? sum.a / sum.b : s_.thickness;
    int level = 0;
    while (level + 2 < s_.levels && s_.level_thickness[level + 1] < thick) ++level;
    const double low = s_.level_thickness[level], high = s_.level_thickness[level + 1];
    const double share = high > low ? (thick - low) / (high - low) : 0;
    t_.level = level;
    t_.low = s_.tables + static_cast<std::size_t>(level) * 6 * static_cast<std::size_t>(size);
    t_.high = t_.low + 6 * static_cast<std::size_t>(size);
    t_.share = static_cast<float>(share < 0 ? 0.0 : (share > 1 ? 1.0 : share));
  }

  TAXEL_HD LayerChunks All() const { return {nullptr, w_.chunks}; }
  template <LayerSum kSum, typename Sink>
  TAXEL_HD void Sum(const LayerChunks& targets, int sources, LayerSlot a, LayerSlot b, const Sink& sink) {
    SumOn<kSum, LayerNothing>(team_, t_, w_, targets, sources, w_.field(a), w_.field(b), m_.partial,
                              [&](int i, float u, float v, LayerNothing*) { sink(i, u, v); });
  }
  TAXEL_HD int ListCarrying(LayerSlot a, LayerSlot b) {
    const float *x = w_.field(a), *y = w_.field(b);
    return ListChunks(team_, w_, w_.sources(), [&](int i) { return x[i] != 0 || y[i] != 0; });
  }

  // Where the gel is under the old tractions.
  TAXEL_HD void Before() {
    float *ux = w_.field(kSlotUx), *uy = w_.field(kSlotUy), *uz = w_.field(kSlotUz);
    const int count = ListCarrying(kSlotP, kSlotP);  // friction needs pressure
    Sum<LayerSum::kTangential>(All(), count, kSlotTx, kSlotTy,
                               [&](int i, float u, float v) { ux[i] = u, uy[i] = v; });
    Sum<LayerSum::kSpread>(All(), count, kSlotP, kSlotP,
                           [&](int i, float u, float v) { ux[i] += u, uy[i] += v; });
    Sum<LayerSum::kNormal>(All(), count, kSlotP, kSlotP, [&](int i, float u, float) { uz[i] = -u; });
    Sum<LayerSum::kLift>(All(), count, kSlotTx, kSlotTy, [&](int i, float u, float) { uz[i] += u; });
  }

  // Motion of the objects at the cells, tractions that go on, and which cells were open.
  TAXEL_HD void Start(const Pose* X, const LayerMemory& from) {
    team_.For(s_.objects, [&](int o) {
      m_.before[o] = Inverse(from.X_PI[o]);
      m_.change[o] = X[o] * m_.before[o];
    });
    team_.For(w_.slots(), [&](int i) {
      LayerFlags& f = w_.flags()[i];
      float target_x = 0, target_y = 0, closed = 1;
      const bool goes_on = f.reach && f.before == f.owner;
      f.open = !goes_on;
      if (!goes_on) w_.field(kSlotP)[i] = w_.field(kSlotTx)[i] = w_.field(kSlotTy)[i] = 0;
      if (f.reach) {
        const LayerPlace at = s_.place_of(s_.cell_of(w_.chunk()[i / kLayerChunk], i % kLayerChunk));
        const double height = w_.field(kSlotHeight)[i], uz = w_.field(kSlotUz)[i];
        const Vec3 moved =
            CarriedBy(m_.change[f.owner], at.p + static_cast<double>(w_.field(kSlotUx)[i]) * at.e1 +
                                              static_cast<double>(w_.field(kSlotUy)[i]) * at.e2 +
                                              (f.open ? height : uz) * at.g);
        target_x = static_cast<float>(dot(moved, at.e1));
        target_y = static_cast<float>(dot(moved, at.e2));
        const double after = height - uz;
        if (f.open && after < 0)
          closed =
              static_cast<float>(ClosedPart(LayerHeightOf(s_, f.owner, m_.before[f.owner], at) - uz, after));
      }
      w_.field(kSlotTargetX)[i] = target_x;
      w_.field(kSlotTargetY)[i] = target_y;
      w_.field(kSlotClosed)[i] = closed;
    });
  }

  TAXEL_HD void Pressure(double tolerance, int limit) {
    float *overlap = w_.field(kSlotOverlap), *spread_x = w_.field(kSlotSpreadX),
          *spread_y = w_.field(kSlotSpreadY);
    const float* height = w_.field(kSlotHeight);
    const LayerFlags* flags = w_.flags();
    Sum<LayerSum::kLift>(All(), ListCarrying(kSlotTx, kSlotTy), kSlotTx, kSlotTy,
                         [&](int i, float u, float) { overlap[i] = flags[i].reach ? u - height[i] : 0.0f; });
    const int active = SolveLayerNormal(team_, t_, w_, m_.partial, tolerance, limit, rounds_);
    const float* p = w_.field(kSlotP);
    contact_ = ListChunks(team_, w_, w_.contact(), [&](int i) { return p[i] > 0; });
    // Only cells with pressure ask for it.
    Sum<LayerSum::kSpread>({w_.contact(), contact_}, active, kSlotP, kSlotP,
                           [&](int i, float u, float v) { spread_x[i] = u, spread_y[i] = v; });
  }

  TAXEL_HD void Friction(bool fresh_too, bool image_known, double tolerance, int limit) {
    float *free_x = w_.field(kSlotFreeX), *free_y = w_.field(kSlotFreeY);
    const float *ux = w_.field(kSlotUx), *uy = w_.field(kSlotUy), *target_x = w_.field(kSlotTargetX),
                *target_y = w_.field(kSlotTargetY), *spread_x = w_.field(kSlotSpreadX),
                *spread_y = w_.field(kSlotSpreadY);
    ForContact([&](int i) {
      free_x[i] = ux[i] + target_x[i] - spread_x[i];
      free_y[i] = uy[i] + target_y[i] - spread_y[i];
    });
    SolveLayerTangential(team_, t_, w_, m_.partial, numbers_.friction, fresh_too, image_known, tolerance,
                         limit, rounds_ + 1);
  }

  // Where the gel goes without the cells that close only now: they stick from where it was then.
  TAXEL_HD void Follow() {
    float *ux = w_.field(kSlotUx), *uy = w_.field(kSlotUy), *target_x = w_.field(kSlotTargetX),
          *target_y = w_.field(kSlotTargetY), *image_x = w_.field(kSlotImageX),
          *image_y = w_.field(kSlotImageY);
    const float *p = w_.field(kSlotP), *closed = w_.field(kSlotClosed), *spread_x = w_.field(kSlotSpreadX),
                *spread_y = w_.field(kSlotSpreadY);
    const LayerFlags* flags = w_.flags();
    Sum<LayerSum::kTangential>({w_.contact(), contact_}, ListCarrying(kSlotTx, kSlotTy), kSlotTx, kSlotTy,
                               [&](int i, float u, float v) {
                                 image_x[i] = u, image_y[i] = v;
                                 if (!flags[i].open || !(p[i] > 0)) return;
                                 const float c = closed[i];
                                 ux[i] += (1 - c) * (u + spread_x[i] - ux[i]);
                                 uy[i] += (1 - c) * (v + spread_y[i] - uy[i]);
                                 target_x[i] *= c;
                                 target_y[i] *= c;
                               });
  }

  template <typename F>
  TAXEL_HD void ForContact(const F& f) {
    const int* contact = w_.contact();
    team_.For(kLayerChunk * contact_,
              [&](int k) { f(kLayerChunk * contact[k / kLayerChunk] + k % kLayerChunk); });
  }

  Team& team_;
  const LayerScene& s_;
  const LayerScratch& m_;
  const LayerNumbers& numbers_;
  int* rounds_;
  LayerWork w_;
  LayerInfluences t_;
  int contact_ = 0;
};

}  // namespace taxel::internal
