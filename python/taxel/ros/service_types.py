"""Requests and replies of the ROS 2 services that taxel offers, as types of DDS.

Every request and every reply begins with the header of rmw_cyclonedds: a number of the client and one of the call. A
reply repeats that of its request. A message without fields has one byte, as ROS 2 says.
"""

# No `from __future__ import annotations`: cyclonedds reads the annotations as types.
from dataclasses import dataclass, field
from typing import NamedTuple

from cyclonedds.idl import IdlStruct
from cyclonedds.idl.annotations import final
from cyclonedds.idl.types import float64, int64, sequence, uint8, uint64

from .messages import TactileState

GET_TACTILE_STATE = "---\nTactileState tactile_state\nbool success\n"
"""``tactile_msgs/srv/GetTactileState``."""


class ServiceType(NamedTuple):
    """The two types of a service."""

    Request: type
    Response: type

    @property
    def name(self) -> str:
        """``std_srvs/srv/SetBool``."""
        package, folder, _, name = self.Request.__idl_typename__.split(".")  # type: ignore[attr-defined]
        return f"{package}/{folder}/{name.removesuffix('_Request_')}"


@dataclass
class Call(IdlStruct):
    """Whose call it is; in front of all fields."""

    guid: uint64 = 0
    seq: int64 = 0


@dataclass
@final
class SetBoolRequest(Call, typename="std_srvs.srv.dds_.SetBool_Request_"):
    data: bool = False


@dataclass
@final
class SetBoolResponse(Call, typename="std_srvs.srv.dds_.SetBool_Response_"):
    success: bool = False
    message: str = ""


@dataclass
@final
class TriggerRequest(Call, typename="std_srvs.srv.dds_.Trigger_Request_"):
    structure_needs_at_least_one_member: uint8 = 0


@dataclass
@final
class TriggerResponse(Call, typename="std_srvs.srv.dds_.Trigger_Response_"):
    success: bool = False
    message: str = ""


@dataclass
@final
class GetTactileStateRequest(Call, typename="tactile_msgs.srv.dds_.GetTactileState_Request_"):
    structure_needs_at_least_one_member: uint8 = 0


@dataclass
@final
class GetTactileStateResponse(Call, typename="tactile_msgs.srv.dds_.GetTactileState_Response_"):
    tactile_state: TactileState = field(default_factory=TactileState)
    success: bool = False


# --- Parameters: `ros2 param` ---

NOT_SET, BOOL, INTEGER, DOUBLE, STRING = range(5)  # ParameterType


@dataclass
@final
class ParameterValue(IdlStruct, typename="rcl_interfaces.msg.dds_.ParameterValue_"):
    type: uint8 = NOT_SET
    bool_value: bool = False
    integer_value: int64 = 0
    double_value: float64 = 0.0
    string_value: str = ""
    byte_array_value: sequence[uint8] = field(default_factory=list)
    bool_array_value: sequence[bool] = field(default_factory=list)
    integer_array_value: sequence[int64] = field(default_factory=list)
    double_array_value: sequence[float64] = field(default_factory=list)
    string_array_value: sequence[str] = field(default_factory=list)


@dataclass
@final
class Parameter(IdlStruct, typename="rcl_interfaces.msg.dds_.Parameter_"):
    name: str = ""
    value: ParameterValue = field(default_factory=ParameterValue)


@dataclass
@final
class SetParametersResult(IdlStruct, typename="rcl_interfaces.msg.dds_.SetParametersResult_"):
    successful: bool = False
    reason: str = ""


@dataclass
@final
class ListParametersResult(IdlStruct, typename="rcl_interfaces.msg.dds_.ListParametersResult_"):
    names: sequence[str] = field(default_factory=list)
    prefixes: sequence[str] = field(default_factory=list)


@dataclass
@final
class FloatingPointRange(IdlStruct, typename="rcl_interfaces.msg.dds_.FloatingPointRange_"):
    from_value: float64 = 0.0
    to_value: float64 = 0.0
    step: float64 = 0.0


@dataclass
@final
class IntegerRange(IdlStruct, typename="rcl_interfaces.msg.dds_.IntegerRange_"):
    from_value: int64 = 0
    to_value: int64 = 0
    step: uint64 = 0


@dataclass
@final
class ParameterDescriptor(IdlStruct, typename="rcl_interfaces.msg.dds_.ParameterDescriptor_"):
    name: str = ""
    type: uint8 = NOT_SET
    description: str = ""
    additional_constraints: str = ""
    read_only: bool = False
    dynamic_typing: bool = False
    floating_point_range: sequence[FloatingPointRange, 1] = field(default_factory=list)
    integer_range: sequence[IntegerRange, 1] = field(default_factory=list)


@dataclass
@final
class SetParametersRequest(Call, typename="rcl_interfaces.srv.dds_.SetParameters_Request_"):
    parameters: sequence[Parameter] = field(default_factory=list)


@dataclass
@final
class SetParametersResponse(Call, typename="rcl_interfaces.srv.dds_.SetParameters_Response_"):
    results: sequence[SetParametersResult] = field(default_factory=list)


@dataclass
@final
class GetParametersRequest(Call, typename="rcl_interfaces.srv.dds_.GetParameters_Request_"):
    names: sequence[str] = field(default_factory=list)


@dataclass
@final
class GetParametersResponse(Call, typename="rcl_interfaces.srv.dds_.GetParameters_Response_"):
    values: sequence[ParameterValue] = field(default_factory=list)


@dataclass
@final
class GetParameterTypesRequest(Call, typename="rcl_interfaces.srv.dds_.GetParameterTypes_Request_"):
    names: sequence[str] = field(default_factory=list)


@dataclass
@final
class GetParameterTypesResponse(Call, typename="rcl_interfaces.srv.dds_.GetParameterTypes_Response_"):
    types: sequence[uint8] = field(default_factory=list)


@dataclass
@final
class ListParametersRequest(Call, typename="rcl_interfaces.srv.dds_.ListParameters_Request_"):
    prefixes: sequence[str] = field(default_factory=list)
    depth: uint64 = 0


@dataclass
@final
class ListParametersResponse(Call, typename="rcl_interfaces.srv.dds_.ListParameters_Response_"):
    result: ListParametersResult = field(default_factory=ListParametersResult)


@dataclass
@final
class DescribeParametersRequest(Call, typename="rcl_interfaces.srv.dds_.DescribeParameters_Request_"):
    names: sequence[str] = field(default_factory=list)


@dataclass
@final
class DescribeParametersResponse(Call, typename="rcl_interfaces.srv.dds_.DescribeParameters_Response_"):
    descriptors: sequence[ParameterDescriptor] = field(default_factory=list)


SetBool = ServiceType(SetBoolRequest, SetBoolResponse)
Trigger = ServiceType(TriggerRequest, TriggerResponse)
GetTactileState = ServiceType(GetTactileStateRequest, GetTactileStateResponse)
SetParameters = ServiceType(SetParametersRequest, SetParametersResponse)
GetParameters = ServiceType(GetParametersRequest, GetParametersResponse)
GetParameterTypes = ServiceType(GetParameterTypesRequest, GetParameterTypesResponse)
ListParameters = ServiceType(ListParametersRequest, ListParametersResponse)
DescribeParameters = ServiceType(DescribeParametersRequest, DescribeParametersResponse)
