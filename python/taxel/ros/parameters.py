"""Parameters of a node: numbers that ``ros2 param`` reads and sets while the simulation runs."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .._core import Error
from . import service_types as srv
from .node import Node


@dataclass(frozen=True)
class Number:
    """A parameter: its limits are part of it, and who holds its value."""

    name: str
    description: str
    low: float
    high: float
    get: Callable[[], float]
    set: Callable[[float], None]

    def check(self, value: Any) -> float:
        """The value as a float; an Error outside the limits."""
        number = float(value)
        if not self.low <= number <= self.high:  # a NaN, too
            raise Error(f"{self.name} is {number:g}; give {self.low:g} to {self.high:g} ({self.description})")
        return number


class Parameters:
    """Serves ``list_parameters``, ``get_parameters``, ``set_parameters``, ... under a node's name."""

    def __init__(self, node: Node, numbers: list[Number]) -> None:
        self._numbers = {number.name: number for number in numbers}
        for name, kind, answer in (
            ("list_parameters", srv.ListParameters, self._list),
            ("get_parameters", srv.GetParameters, self._get),
            ("get_parameter_types", srv.GetParameterTypes, self._types),
            ("describe_parameters", srv.DescribeParameters, self._describe),
            ("set_parameters", srv.SetParameters, self._set),
        ):
            node.serve(f"{node.name}/{name}", kind, answer)

    def _list(self, request: Any) -> Any:
        names = [
            name
            for name in self._numbers
            if not request.prefixes or any(name == p or name.startswith(p + ".") for p in request.prefixes)
        ]
        prefixes = sorted({name.rpartition(".")[0] for name in names if "." in name})
        return srv.ListParametersResponse(result=srv.ListParametersResult(names, prefixes))

    def _get(self, request: Any) -> Any:
        return srv.GetParametersResponse(
            values=[
                srv.ParameterValue(type=srv.DOUBLE, double_value=self._numbers[name].get())
                if name in self._numbers
                else srv.ParameterValue()
                for name in request.names
            ]
        )

    def _types(self, request: Any) -> Any:
        return srv.GetParameterTypesResponse(
            types=[srv.DOUBLE if name in self._numbers else srv.NOT_SET for name in request.names]
        )

    def _describe(self, request: Any) -> Any:
        found = [self._numbers[name] for name in request.names if name in self._numbers]
        return srv.DescribeParametersResponse(
            descriptors=[
                srv.ParameterDescriptor(
                    name=n.name,
                    type=srv.DOUBLE,
                    description=n.description,
                    floating_point_range=[srv.FloatingPointRange(n.low, n.high, 0.0)],
                )
                for n in found
            ]
        )

    def _set(self, request: Any) -> Any:
        results = []
        for given in request.parameters:
            try:
                self._set_one(given)
                results.append(srv.SetParametersResult(True, ""))
            except ValueError as error:
                results.append(srv.SetParametersResult(False, str(error)))
        return srv.SetParametersResponse(results=results)

    def _set_one(self, given: Any) -> None:
        number = self._numbers.get(given.name)
        if number is None:
            near = difflib.get_close_matches(given.name, self._numbers, n=1)
            hint = f"; did you mean {near[0]!r}?" if near else f"; there are: {', '.join(self._numbers)}"
            raise Error(f"there is no parameter {given.name!r}{hint}")
        value = given.value
        if value.type not in (srv.DOUBLE, srv.INTEGER):
            raise Error(f"{given.name} is a number ({number.low:g} to {number.high:g}); this value is none")
        number.set(number.check(value.double_value if value.type == srv.DOUBLE else value.integer_value))
