// Ctrl-C, and progress, while the core is at long work: the core asks the interpreter whether to stop
// (taxel/math/interrupt.h), and an interrupt raises what the signal handler raised. The plugin and the
// reader, which are libraries of their own, get the same question by its address.
#include <unistd.h>

#include "module.h"
#include "taxel/math/interrupt.h"

namespace taxel::python {
namespace {

// What the signal handler raised, until it can be raised where it belongs. Changed with the interpreter's
// lock held.
PyObject* raised = nullptr;
PyObject* tick = nullptr;  // called at each question; None or null: nobody

PyObject* TakeRaised() {
  PyObject* out = raised;
  raised = nullptr;
  return out;
}

void Raise(PyObject* exception) {
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(exception)), exception);
  Py_DECREF(exception);
}

void Keep() {
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  Py_XDECREF(type);
  Py_XDECREF(trace);
  Py_XDECREF(raised);
  raised = value;
}

// Where an interrupt ended in an engine that knows only numbers and text, this raises it as soon as the
// interpreter runs on.
int RaisePending(void*) {
  PyObject* exception = TakeRaised();
  if (!exception) return 0;
  Raise(exception);
  return -1;
}

// Python handles signals on its main thread alone; other threads are never stopped.
bool OnMainThread() { return getpid() == gettid(); }

bool Ask() {
  if (!OnMainThread() || !Py_IsInitialized()) return false;
  const PyGILState_STATE gil = PyGILState_Ensure();
  // MuJoCo compiles a model that failed once more: the answer stays the same until it was raised.
  bool stop = raised != nullptr;
  if (!stop && !PyErr_Occurred()) {
    stop = PyErr_CheckSignals() != 0;
    if (!stop && tick && tick != Py_None) {
      PyObject* result = PyObject_CallNoArgs(tick);
      stop = result == nullptr;
      Py_XDECREF(result);
    }
    if (stop) Keep();
  }
  PyGILState_Release(gil);
  return stop;
}

// For libraries from which nothing can be thrown up to Python.
bool AskFromEngine() {
  const bool stop = Ask();
  if (stop) Py_AddPendingCall(&RaisePending, nullptr);
  return stop;
}

}  // namespace

Working::Working(const std::string& label, nb::handle progress)
    : context_(nb::module_::import_("taxel.report.progress").attr("working")(label.c_str(), progress)) {
  context_.attr("__enter__")();
}
Working::~Working() {
  try {
    context_.attr("__exit__")(nb::none(), nb::none(), nb::none());
  } catch (nb::python_error& e) {
    // Python handles signals while it runs this, too: Ctrl-C in the last moment of the work. A destructor
    // cannot raise what a handler raised; the interpreter does, as soon as it runs on. A terminal that is
    // gone is no reason to stop.
    if (e.matches(PyExc_OSError) || e.matches(PyExc_ValueError)) {
      e.discard_as_unraisable("taxel progress");
    } else {
      e.restore();
      Keep();
      Py_AddPendingCall(&RaisePending, nullptr);
    }
  }
}

void BindInterrupt(nb::module_& m) {
  SetInterruptCheck(&Ask);
  nb::register_exception_translator([](const std::exception_ptr& p, void*) {
    try {
      std::rethrow_exception(p);
    } catch (const Interrupted&) {
      if (PyObject* exception = TakeRaised())
        Raise(exception);
      else
        PyErr_SetNone(PyExc_KeyboardInterrupt);
    }
  });
  m.def("interrupt_check", [] { return reinterpret_cast<std::uintptr_t>(&AskFromEngine); });
  m.def("raise_interrupt", [] {  // where one is waiting
    if (PyObject* exception = TakeRaised()) {
      Raise(exception);
      throw nb::python_error();
    }
  });
  m.def(
      "set_tick",
      [](nb::object callback) {
        PyObject* before = tick;
        tick = callback.release().ptr();
        return before ? nb::steal(before) : nb::none();
      },
      nb::arg("callback").none());
}

}  // namespace taxel::python
