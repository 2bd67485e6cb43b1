// Calls that do not fit, in our own words.
#pragma once

#include <nanobind/nanobind.h>

namespace taxel::python {

/// Makes every function, method, constructor and property of the module explain wrong arguments by itself:
/// where nanobind would list C++ signatures ("incompatible function arguments") or say "std::bad_cast", the
/// TypeError of taxel.common.arguments.explain comes instead, which names the argument, the value and what is
/// allowed. A call that fits pays one look-up in a table. Call it once, at the end of the module.
void ExplainWrongCalls(nanobind::module_& m);

}  // namespace taxel::python
