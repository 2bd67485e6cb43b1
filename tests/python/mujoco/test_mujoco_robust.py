"""What is refused or warned of, memory, and what must not bring the process down."""

from __future__ import annotations

import ctypes
import gc
import os
import textwrap
from pathlib import Path

import mujoco
import pytest
from mujoco_scenes import CS, ELLIPTIC, after, block, pad_model, pad_xml, run_alone

import taxel

pytestmark = pytest.mark.usefixtures("warned")

# --- what is refused or warned of -------------------------------------------------------------------------------------


def servo(kp: float, kv: float, integrator: str = "implicitfast") -> mujoco.MjModel:
    spec = mujoco.MjSpec.from_string(f"""<mujoco>
      <option cone="elliptic" timestep="0.002" integrator="{integrator}"/>
      <worldbody>
        <body name="finger"><joint name="slide" type="slide" axis="0.6 0 0.8"/>
          <geom name="tip" type="box" size="0.01 0.02 0.01" mass="0.02"/></body>
        <body pos="0 0 0.1"><freejoint/><geom type="sphere" size="0.02"/></body>
      </worldbody>
      <actuator><position name="squeeze" joint="slide" kp="{kp}" kv="{kv}"/></actuator></mujoco>""")
    taxel.soften(spec, "tip", modulus=1e5)
    return spec.compile()


def test_a_stiff_servo_is_warned_of_once(warned):
    with pytest.warns(UserWarning) as caught:
        model = servo(kp=2e4, kv=40)
    for _ in range(3):
        mujoco.mj_step(model, mujoco.MjData(model), nstep=3)
    (line,) = [str(w.message) for w in caught] + warned
    for part in ("actuator 'squeeze'", "kp 2e+04", "kv 40", 'integrator="discrete"', "armature=", "kv below 10"):
        assert part in line


def test_the_cures_of_a_stiff_servo_are_cures(warned):
    for model in (servo(2e4, 40, "discrete"), servo(2e4, 9.9), servo(100, 40)):
        mujoco.mj_step(model, mujoco.MjData(model))
    assert warned == []


HFIELD = '<asset><hfield name="hill" nrow="2" ncol="3" elevation="0 1 0 1 0 1" size="1 1 0.1 0.1"/></asset>'


def test_what_cannot_be_soft_is_refused():
    hill = '<body name="hill" pos="0 0 -2"><freejoint/><geom name="hill" type="hfield" hfield="hill" mass="1"/></body>'
    pad_model(block() + hill, extra=HFIELD)  # rigid, it may be there
    spec = mujoco.MjSpec.from_string(pad_xml(block() + hill, keys=None, extra=HFIELD))
    taxel.soften(spec, "hill", modulus=1e5)
    with pytest.raises(ValueError, match=r"geom 'hill' is a height field, which cannot be soft.*use a mesh"):
        spec.compile()
    with pytest.raises(ValueError, match=r"no geom is soft"):
        pad_model(modulus=0)
    with pytest.raises(ValueError, match="soft plane and needs the thickness"):
        mujoco.MjModel.from_xml_string(
            pad_xml("", keys={}).replace('type="box" size="0.06 0.04 0.01"', 'type="plane" size="1 1 1"')
        )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ('noslip_iterations="3"', "noslip_iterations"),
        ('integrator="RK4"', "use implicitfast, implicit, Euler or discrete"),
        ('cone="pyramidal"', '<option cone="elliptic"/>'),
    ],
)
def test_options_that_cannot_run_are_refused(options, message):
    text = pad_xml(block(), keys={}, options="OPTIONS")
    for name in ("integrator", "cone"):
        if options.startswith(name):
            start = text.index(f'{name}="')
            text = text[:start] + text[text.index('"', start + len(name) + 2) + 1 :]
    taxel.load()
    with pytest.raises(ValueError) as e:
        mujoco.MjModel.from_xml_string(text.replace("OPTIONS", options))
    assert message in str(e.value)


def test_an_option_changed_at_run_time_is_warned_of(warned):
    model = pad_model()
    data = after(model, 0.1)
    model.opt.cone = mujoco.mjtCone.mjCONE_PYRAMIDAL
    mujoco.mj_step(model, data, nstep=10)
    assert len(warned) == 1 and 'cone="elliptic"' in warned[0]
    assert taxel.touches(model, data) == []
    model.opt.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    mujoco.mj_step(model, data, nstep=10)
    assert len(taxel.touches(model, data)) == 1 and len(warned) == 1


def test_the_message_of_load_model_is_the_plugins_own():
    with pytest.raises(taxel.Error) as e:
        taxel.load_model(CS.replace('data="1e5 20', 'data="-1e5 20'))
    assert str(e.value) == "numeric 'cs::pad': value 1 is -1e+05; it must be at least 0"


# --- memory -----------------------------------------------------------------------------------------------------------


def resident() -> int:
    """Memory in use, kB, without what was freed and is only kept for later."""
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is None or not Path("/proc/self/statm").exists():
        pytest.skip("needs glibc and /proc")
    trim(0)
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1024


def test_models_and_readers_are_freed():
    def use(k: int) -> None:
        # Each of another size, so that none is found among those already made.
        spec = mujoco.MjSpec.from_string(f"""<mujoco><option cone="elliptic"/><worldbody>
            <geom name="floor" type="plane" size="1 1 1" euler="0 9 0"/>
            <body pos="0 0 0.029"><freejoint/><geom name="ball" size="{0.03 + 1e-6 * k}"/></body>
          </worldbody></mujoco>""")
        taxel.soften(spec, "ball", modulus=1e5)
        model = spec.compile()
        data = after(model, 0.02)
        assert len(taxel.touches(model, data)) == 1
        if k % 5 == 0:
            assert len(taxel.Reader(model)(data)) == 1

    for k in range(20):
        use(k)
    before = resident()
    for k in range(20, 220):
        use(k)
    assert resident() - before < 2000  # one such model with its data takes 3000


# --- what must not bring the process down -----------------------------------------------------------------------------

OPEN = """
    import gc, pickle, mujoco, numpy as np, taxel
    mujoco.set_mju_user_warning(lambda text: None)
    def opened(**keys):
        spec = mujoco.MjSpec.from_string(xml)
        taxel.soften(spec, "pad", modulus=1e5, **keys)
        model = spec.compile()
        return model, mujoco.MjData(model)
    def draw(model, data):
        scene = mujoco.MjvScene(model, 5000)
        mujoco.mjv_updateScene(model, data, mujoco.MjvOption(), mujoco.MjvPerturb(), mujoco.MjvCamera(),
                               mujoco.mjtCatBit.mjCAT_ALL, scene)
"""


@pytest.mark.parametrize(
    "code",
    [
        pytest.param(
            "model, data = opened()\ntaxel.touches(model, data)\ndraw(model, data)", id="rows, before forward"
        ),
        pytest.param(
            "model, data = opened()\ndata.qpos[3] = np.nan\nmujoco.mj_forward(model, data)\ntaxel.touches(model, data)",
            id="rows, a pose that is not finite",
        ),
        pytest.param(
            "model, data = opened(coupling='sense')\n"
            "try:\n    taxel.touches(model, data)\nexcept taxel.Error:\n    pass",
            id="sensing, before forward",
        ),
        pytest.param(
            "model, data = opened(coupling='sense')\ndraw(model, data)",
            id="sensing, drawn before forward",
        ),
        pytest.param(
            "model, data = opened(coupling='sense')\ndata.qpos[3] = np.nan\nmujoco.mj_forward(model, data)\n"
            "try:\n    taxel.touches(model, data)\nexcept taxel.Error:\n    pass",
            id="sensing, a pose that is not finite",
        ),
        pytest.param(
            "model, data = opened()\nmujoco.mj_step(model, data, nstep=5)\ntwin = pickle.loads(pickle.dumps(data))\n"
            "mujoco.mj_step(twin.model, twin, nstep=5)\nmujoco.mj_step(model, data, nstep=5)\n"
            "assert np.array_equal(twin.qpos, data.qpos)\ndel twin, data\ngc.collect()",
            id="pickled data",
        ),
    ],
)
def test_the_process_lives(code):
    run_alone(textwrap.dedent(OPEN) + code, ELLIPTIC)
