// The extension module taxel._core. The public names are re-exported, with types and words, by
// taxel/__init__.py.
#include <thread>

#include "module.h"
#include "own_words.h"
#include "taxel/math/error.h"
#include "taxel/version.h"

NB_MODULE(_core, m) {
  using namespace taxel::python;
  m.doc() = "C++ core of taxel";
  m.attr("__version__") = TAXEL_VERSION_STRING;
  m.attr("mujoco_version") = TAXEL_MUJOCO_VERSION_STRING;
#ifdef __clang__
  m.attr("compiler") = "Clang " __clang_version__;
#else
  m.attr("compiler") = "GCC " __VERSION__;
#endif
  m.attr("compiler_flags") = TAXEL_FLAGS;
  m.def("hardware_threads", [] { return static_cast<int>(std::thread::hardware_concurrency()); });
  // Wrong input is a ValueError, so that callers who know nothing of taxel can catch it.
  nb::exception<taxel::Error>(m, "Error", PyExc_ValueError).attr("__module__") = "taxel";
  BindInterrupt(m);
  BindBody(m);
  BindContact(m);
  BindBatch(m);
  BindShape(m);
  BindLaws(m);
  BindSkin(m);
  BindGradient(m);
  BindChain(m);
  BindPad(m);
  BindBristle(m);
  BindMarker(m);
  BindTaxelField(m);
  BindLayerField(m);
  BindLayerTape(m);
  BindCuda(m);
  BindMarkerBatch(m);
  BindBaselineBatch(m);
  BindImage(m);
  BindImageBatch(m);
  BindGel(m);
  BindEip(m);
  BindGelFill(m);
  BindGelBatch(m);
  BindGelPads(m);
  ExplainWrongCalls(m);
}
