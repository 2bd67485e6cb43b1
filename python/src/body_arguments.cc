#include "body_arguments.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <functional>
#include <map>

#include "taxel/math/error.h"

namespace taxel::python {
namespace {

FieldKind ToFieldKind(const std::string& text) {
  if (text == "distance") return FieldKind::kDistance;
  if (text == "backed") return FieldKind::kBacked;
  if (text == "laplace") return FieldKind::kLaplace;
  if (text == "columns") return FieldKind::kColumns;
  throw Error("field is \"" + text + "\"; give \"distance\", \"backed\", \"laplace\" or \"columns\"");
}

Bone ToBone(const std::string& text) {
  if (text == "thickness") return Bone::kThickness;
  if (text == "middle") return Bone::kMiddle;
  throw Error("bone is \"" + text + "\"; give \"thickness\" or \"middle\"");
}

// [(0.2, 0.2), (0.5, 0.8)] or [0.2, 0.2, 0.5, 0.8].
std::vector<double> ToPairs(nb::handle value) {
  std::vector<double> out;
  for (nb::handle item : nb::cast<nb::sequence>(value))
    if (double number; nb::try_cast<double>(item, number)) {
      out.push_back(number);
    } else {
      for (nb::handle inner : nb::cast<nb::sequence>(item)) out.push_back(nb::cast<double>(inner));
    }
  return out;
}

// A corner and two sides, as (3, 3) or in a row.
ColumnCell ToCell(nb::handle value) {
  const std::vector<double> n = ToPairs(value);
  if (n.empty()) return {};
  if (n.size() != 9)
    throw Error("column_cell has " + std::to_string(n.size()) +
                " numbers; give nine, a corner of a column and its two sides (m)");
  return {{n[0], n[1], n[2]}, {n[3], n[4], n[5]}, {n[6], n[7], n[8]}};
}

std::vector<double> FromCell(const ColumnCell& cell) {
  std::vector<double> out;
  if (cell.given())
    for (const Vec3& v : {cell.corner, cell.across_u, cell.across_v})
      for (int i = 0; i < 3; ++i) out.push_back(v[i]);
  return out;
}

struct Option {
  const char* expected;  ///< completes "give ..."
  std::function<void(BodyOptions&, nb::handle)> set;
  std::function<nb::object(const BodyOptions&)> get;
};

// `member` takes BodyOptions& and returns the number, text or list that the option stands for.
template <typename T, typename Member>
Option Plain(const char* expected, Member member) {
  return {expected, [member](BodyOptions& o, nb::handle v) { member(o) = nb::cast<T>(v); },
          [member](const BodyOptions& o) { return nb::cast(T(member(const_cast<BodyOptions&>(o)))); }};
}
template <typename Member>
Option Number(Member member) {
  return Plain<double>("a number", member);
}

const std::map<std::string, Option>& AllOptions() {
  using O = BodyOptions;
  using Numbers = std::vector<int>;
  static const std::map<std::string, Option> options = {
      {"name", Plain<std::string>(
                   "a text", [](O & o) -> auto& { return o.name; })},
      {"modulus", Number([](O & o) -> auto& { return o.modulus; })},
      {"field",
       {"\"distance\", \"backed\", \"laplace\" or \"columns\"",
        [](O& o, nb::handle v) { o.field.kind = ToFieldKind(nb::cast<std::string>(v)); },
        [](const O& o) -> nb::object { return nb::cast(FieldName(o.field.kind)); }}},
      {"bone",
       {"\"thickness\" or \"middle\"",
        [](O& o, nb::handle v) { o.field.bone = ToBone(nb::cast<std::string>(v)); },
        [](const O& o) -> nb::object {
          return nb::cast(std::string(o.field.bone == Bone::kMiddle ? "middle" : "thickness"));
        }}},
      {"thickness", Number([](O & o) -> auto& { return o.field.thickness; })},
      {"exposed",
       {"three numbers", [](O& o, nb::handle v) { o.field.exposed = ToVec3(v, "exposed"); },
        [](const O& o) -> nb::object {
          return nb::make_tuple(o.field.exposed.x, o.field.exposed.y, o.field.exposed.z);
        }}},
      {"back_triangles",
       Plain<Numbers>(
           "a list of whole numbers", [](O & o) -> auto& { return o.field.back_triangles; })},
      {"skin_triangles",
       Plain<Numbers>(
           "a list of whole numbers", [](O & o) -> auto& { return o.field.skin_triangles; })},
      {"stiffening_start", Number([](O & o) -> auto& { return o.field.stiffening_start; })},
      {"layer_poisson", Number([](O & o) -> auto& { return o.field.poisson; })},
      {"law",
       {"pairs of compression and pressure in moduli, as (n, 2) or in a row",
        [](O& o, nb::handle v) { o.field.law = ToPairs(v); },
        [](const O& o) -> nb::object { return nb::cast(o.field.law); }}},
      {"column_cell",
       {"a corner of a column and its two sides, nine numbers (m)",
        [](O& o, nb::handle v) { o.field.column_cell = ToCell(v); },
        [](const O& o) -> nb::object { return nb::cast(FromCell(o.field.column_cell)); }}},
      {"core_fraction", Number([](O & o) -> auto& { return o.field.core_fraction; })},
      {"resolution", Number([](O & o) -> auto& { return o.resolution; })},
      {"dissipation", Number([](O & o) -> auto& { return o.dissipation; })},
      {"static_friction", Number([](O & o) -> auto& { return o.static_friction; })},
      {"dynamic_friction", Number([](O & o) -> auto& { return o.dynamic_friction; })},
  };
  return options;
}

[[noreturn]] void TypeFailure(const std::string& text) { throw nb::type_error(text.c_str()); }

// "None", or "[1, 2] (list)"; long values by their type only.
std::string Show(nb::handle value) {
  if (value.is_none()) return "None";
  const std::string type = nb::cast<std::string>(value.type().attr("__name__"));
  const std::string text = nb::cast<std::string>(nb::repr(value));
  return text.size() > 40 || text.find('\n') != std::string::npos ? "of type " + type
                                                                  : text + " (" + type + ")";
}

double ToNumber(const std::string& who, const std::string& name, nb::handle value) {
  double number;
  if (!nb::try_cast<double>(value, number))
    TypeFailure(who + name + " is " + Show(value) + "; give a number");
  return number;
}

}  // namespace

std::string FieldName(FieldKind kind) {
  switch (kind) {
    case FieldKind::kDistance:
      return "distance";
    case FieldKind::kBacked:
      return "backed";
    case FieldKind::kLaplace:
      return "laplace";
    case FieldKind::kColumns:
      return "columns";
  }
  return "";
}

BodyOptions ToBodyOptions(const std::string& who, const nb::dict& given) {
  BodyOptions options;
  for (const auto& [key, value] : given) {
    const std::string name = nb::cast<std::string>(key);
    const auto option = AllOptions().find(name);
    if (option == AllOptions().end()) {
      std::string known;
      for (const auto& entry : AllOptions()) known += (known.empty() ? "" : ", ") + entry.first;
      TypeFailure(who + "unknown option '" + name + "'; the options are: " + known);
    }
    try {
      option->second.set(options, value);
    } catch (const nb::cast_error&) {
      TypeFailure(who + name + " is " + Show(value) + "; give " + option->second.expected);
    }
  }
  return options;
}

nb::dict FromBodyOptions(const BodyOptions& options) {
  const BodyOptions defaults;
  nb::dict result;
  for (const auto& [name, option] : AllOptions()) {
    const nb::object value = option.get(options);
    if (!value.equal(option.get(defaults))) result[name.c_str()] = value;
  }
  return result;
}

BodyArguments::BodyArguments(const char* function, std::vector<std::string> names, nb::args values,
                             nb::kwargs keywords)
    : function_(std::string("Body.") + function + ": "), names_(std::move(names)) {
  std::vector<std::string> positional = names_;
  positional.push_back("modulus");
  if (values.size() > positional.size()) {
    std::string order, first;
    for (const std::string& name : positional) order += (order.empty() ? "" : ", ") + name;
    for (std::size_t i = 0; i < values.size(); ++i)
      first += (i ? ", " : "") + nb::cast<std::string>(nb::repr(values[i]));
    const bool triple = names_.size() == 1 && (names_[0] == "size" || names_[0] == "semi_axes");
    TypeFailure(function_ + std::to_string(values.size()) + " values without a name; only " + order +
                " may stand so" +
                (triple && values.size() == 3 ? ". The three lengths are one tuple: Body." +
                                                    std::string(function) + "((" + first + "), modulus=...)"
                                              : ", all other options by name"));
  }
  for (std::size_t i = 0; i < values.size(); ++i) given_[positional[i].c_str()] = values[i];
  for (const auto& [key, value] : keywords) {
    if (given_.contains(key))
      TypeFailure(function_ + nb::cast<std::string>(key) + " is given twice, by place and by name");
    given_[key] = value;
  }
}

nb::object BodyArguments::Get(const std::string& name) const {
  if (!given_.contains(name.c_str())) {
    std::string all;
    for (const std::string& n : names_) all += n + ", ";
    TypeFailure(function_ + name + " is missing; give " + all + "modulus and options");
  }
  return nb::borrow(given_[name.c_str()]);
}

double BodyArguments::Number(const std::string& name) const { return ToNumber(function_, name, Get(name)); }

double BodyArguments::Number(const std::string& name, double fallback) const {
  return given_.contains(name.c_str()) ? Number(name) : fallback;
}

BodyOptions BodyArguments::Options() const {
  nb::dict options;
  for (const auto& [key, value] : given_)
    if (std::find(names_.begin(), names_.end(), nb::cast<std::string>(key)) == names_.end())
      options[key] = value;
  return ToBodyOptions(function_, options);
}

}  // namespace taxel::python
