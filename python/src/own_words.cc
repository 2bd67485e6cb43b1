#include "own_words.h"

#include <structmember.h>

#include <cstring>
#include <unordered_map>

namespace taxel::python {
namespace {

namespace nb = nanobind;

// What each function was before. Filled while the module is made, only read afterwards.
std::unordered_map<PyObject*, vectorcallfunc>& Originals() {
  static auto* originals = new std::unordered_map<PyObject*, vectorcallfunc>;  // outlives the interpreter
  return *originals;
}

// Whether the error that is set is one of nanobind's own about arguments.
bool IsAboutArguments() {
  const bool type_error = PyErr_ExceptionMatches(PyExc_TypeError);
  if (!type_error && !PyErr_ExceptionMatches(PyExc_RuntimeError)) return false;
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  bool ours = false;
  if (PyObject* text = value ? PyObject_Str(value) : nullptr) {
    if (const char* words = PyUnicode_AsUTF8AndSize(text, nullptr))
      ours = type_error ? std::strstr(words, "incompatible function arguments") != nullptr
                        : std::strcmp(words, "std::bad_cast") == 0;
    Py_DECREF(text);
  }
  PyErr_Clear();  // of what went wrong above
  PyErr_Restore(type, value, traceback);
  return ours;
}

// Replaces the error by ours; leaves it where that fails.
void Explain(PyObject* self, PyObject* const* args, std::size_t nargs, PyObject* names) {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  try {
    nb::list places;
    nb::dict named;
    for (std::size_t i = 0; i < nargs; ++i) places.append(nb::handle(args[i]));
    for (Py_ssize_t k = 0; names && k < PyTuple_Size(names); ++k)
      named[nb::handle(PyTuple_GetItem(names, k))] = nb::handle(args[nargs + static_cast<std::size_t>(k)]);
    const nb::object error =
        nb::module_::import_("taxel.common.arguments").attr("explain")(nb::handle(self), places, named);
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
    Py_XDECREF(type), Py_XDECREF(value), Py_XDECREF(traceback);
  } catch (...) {
    PyErr_Clear();
    PyErr_Restore(type, value, traceback);
  }
}

PyObject* Call(PyObject* self, PyObject* const* args, std::size_t nargsf, PyObject* names) {
  PyObject* result = Originals().find(self)->second(self, args, nargsf, names);
  if (!result && IsAboutArguments())
    Explain(self, args, static_cast<std::size_t>(PyVectorcall_NARGS(nargsf)), names);
  return result;
}

// Where an object of this type has the function that a call runs; 0 where it has none. The type itself knows,
// but the stable ABI lets nobody look into a type; what it was made from says the same.
Py_ssize_t CallOffset(PyTypeObject* type) {
  const auto* member = static_cast<const PyMemberDef*>(PyType_GetSlot(type, Py_tp_members));
  for (; member && member->name; ++member)
    if (std::strcmp(member->name, "__vectorcalloffset__") == 0) return member->offset;
  return 0;
}

void Wrap(nb::handle function) {
  const nb::handle type(reinterpret_cast<PyObject*>(Py_TYPE(function.ptr())));
  const std::string kind = nb::cast<std::string>(type.attr("__name__"));
  if (kind != "nb_func" && kind != "nb_method") return;
  const Py_ssize_t offset = CallOffset(Py_TYPE(function.ptr()));
  if (offset == 0) return;
  // Every object that can be called so has its function at this place; nanobind calls through it as well.
  auto* place = reinterpret_cast<vectorcallfunc*>(reinterpret_cast<char*>(function.ptr()) + offset);
  if (*place != Call && Originals().emplace(function.ptr(), *place).second) *place = Call;
}

void WrapAll(nb::handle names) {
  const nb::list values(names.attr("values")());
  for (nb::handle value : values) {
    Wrap(value);
    if (PyObject_TypeCheck(value.ptr(), &PyProperty_Type))
      for (const char* part : {"fget", "fset"}) Wrap(value.attr(part));
    if (PyType_Check(value.ptr()) && nb::type_check(value)) WrapAll(value.attr("__dict__"));
  }
}

}  // namespace

void ExplainWrongCalls(nb::module_& m) { WrapAll(m.attr("__dict__")); }

}  // namespace taxel::python
