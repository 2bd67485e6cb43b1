// The arguments of Body's constructors, read by hand so that a wrong one is named in one line.
#pragma once

#include <string>
#include <vector>

#include "module.h"
#include "taxel/contact/body.h"

namespace taxel::python {

/// What was given to Body.`function`: the values of `names` (those and `modulus` may stand without a
/// name, in that order) and the body options, always by name. A missing, doubled, unknown or unfit
/// argument is a TypeError that names it and says what is allowed.
class BodyArguments {
 public:
  BodyArguments(const char* function, std::vector<std::string> names, nb::args values, nb::kwargs keywords);

  nb::object Get(const std::string& name) const;
  double Number(const std::string& name) const;
  double Number(const std::string& name, double fallback) const;
  BodyOptions Options() const;

 private:
  std::string function_;
  std::vector<std::string> names_;
  nb::dict given_;
};

/// Options from a dict of body options and back; the way back leaves out what is at its default.
BodyOptions ToBodyOptions(const std::string& who, const nb::dict& given);
nb::dict FromBodyOptions(const BodyOptions& options);

std::string FieldName(FieldKind kind);

}  // namespace taxel::python
