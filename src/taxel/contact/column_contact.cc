#include "taxel/contact/column_contact.h"

#include "taxel/contact/column_walk.h"

namespace taxel::internal {
namespace {

// Faces of columns for the surface.
class ToSurface {
 public:
  ToSurface(const Pose& X_WF, FaceSink* sink) : X_WF_(X_WF), sink_(*sink) {}

  void SetColumn(int column) { sink_.SetColumn(column); }
  void SetBeyond() { sink_.SetBeyond(); }
  void Add(const ColumnFace<double>& face) {
    polygon_.n = face.n;
    for (int i = 0; i < face.n; ++i) polygon_.v[i] = face.v[i];
    sink_.Add(X_WF_, polygon_, face.normal, {face.pressure_slope, face.pressure_at_0}, face.gradient_first,
              face.gradient_second);
  }

 private:
  const Pose X_WF_;
  FaceSink& sink_;
  Polygon polygon_;
};

}  // namespace

void ColumnsAndBody(const Pose& X_WF, const BodyData& F, const Pose& X_FS, const BodyData& S,
                    ColumnScratch* scratch, FaceSink* sink) {
  ToSurface to_surface(X_WF, sink);
  WalkColumns<double>({F, S, X_FS, X_FS}, scratch, &to_surface);
}

}  // namespace taxel::internal
