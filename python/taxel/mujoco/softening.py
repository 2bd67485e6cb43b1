"""Making geoms of an ``MjSpec`` soft, what holds for the whole model, and the options that soft contact needs."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

from .. import _core
from ..common.description import GROUPS, LAYOUT_KEYS, WHERE_KEYS, config, has_bristles, keys_of, unknown_key
from . import engine

MODEL_KEYS = keys_of("model")
"""What holds for the whole model; ``configure`` is their home."""
_PAIR_KEYS = frozenset(keys_of("pair")) - GROUPS["material"]
_MODEL_INSTANCE = "taxel"


def belongs_to_configure(where: str, key: str, value: Any) -> str:
    """The message for a key of the whole model that was given elsewhere."""
    return f"{where}: {key} holds for the whole model; give it to taxel.configure(spec, {key}={value!r})"


def has_taxel(spec: Any) -> bool:
    """Whether an ``MjSpec`` asks for anything of taxel, in its own words or in those of contact-surfaces."""
    return (
        any(plugin.plugin_name.startswith("taxel") for plugin in spec.plugins)
        or any(sensor.plugin.active and sensor.plugin.plugin_name.startswith("taxel") for sensor in spec.sensors)
        or any("cs::" in entry.name for group in (spec.numerics, spec.texts) for entry in group)
    )


def configure(
    spec: Any,
    *,
    coupling: str | None = None,
    blocks: int | None = None,
    facets: int | None = None,
    scale: str | None = None,
    show: bool | None = None,
    show_pressure: float | None = None,
) -> None:
    """Sets what holds for all soft contacts of an ``MjSpec``: ``taxel.configure(spec, coupling="sense", blocks=9)``.

    coupling       how contact enters the physics: "rows" (default), "explicit" or "sense" (docs/guide/mujoco.md)
    blocks         points that stand for a flat patch in the solver: 1, 4, 9, 16 (default), ... 256
    facets         facets across a curved contact, 2 to 200 (default 10)
    scale          of readings where MuJoCo's own contact acts: "engine" (its force, default) or "none" (the field's)
    show           draw the contact surfaces (default)
    show_pressure  Pa at the red end of the colours (default: the greatest of the frame)

    What is left out stays as it is; a second call overrides the first, and what an instance of the model said. Call it
    before ``soften`` where the coupling is not "rows": ``soften`` sets the options that this coupling needs.
    """
    given = {
        "coupling": coupling, "blocks": blocks, "facets": facets, "scale": scale, "show": show,
        "show_pressure": show_pressure,
    }  # fmt: skip
    given = {key: value for key, value in given.items() if value is not None}
    if not given:
        raise _core.Error(f"configure: nothing is given; there are {', '.join(MODEL_KEYS)}")
    engine.need_spec(spec, "configure")
    engine.load()
    _set_model_keys(spec, given)
    complete(spec)


def _set_model_keys(spec: Any, given: dict[str, Any]) -> None:
    for plugin in spec.plugins:
        if plugin.plugin_name == "taxel" and (twice := plugin.config.keys() & given.keys()):
            plugin.config = {key: value for key, value in plugin.config.items() if key not in twice}
    own = next((p for p in spec.plugins if p.plugin_name == "taxel" and p.name == _MODEL_INSTANCE), None)
    if own is None:
        spec.activate_plugin("taxel")
        own = spec.add_plugin(name=_MODEL_INSTANCE, plugin_name="taxel")
    own.config = {**own.config, **config(given)}


def _refuse_other_values(spec: Any, given: dict[str, Any]) -> None:
    for key, text in config(given).items():
        for plugin in spec.plugins:
            said = plugin.config.get(key) if plugin.plugin_name == "taxel" else None
            if said and said != text:
                raise _core.Error(
                    f"soften: {key} is {given[key]!r}, but instance {plugin.name!r} says {said!r}, and it holds for "
                    f"the whole model; leave it out here and call taxel.configure(spec, {key}={given[key]!r})"
                )


def _coupling(spec: Any) -> str:
    """How the model says that contact acts: rows unless it says otherwise."""
    for plugin in spec.plugins:
        if plugin.plugin_name == "taxel" and plugin.config.get("coupling"):
            return plugin.config["coupling"]
    for numeric in spec.numerics:
        if numeric.name.endswith("cs::ApplyContactSurfaceForces") and list(numeric.data)[:1] == [0.0]:
            return "sense"
    return "rows"


def _only_markers(spec: Any) -> bool:
    """The model has marker sensors and nothing of soft contact."""
    used = {s.plugin.plugin_name for s in spec.sensors if s.plugin.active} | {p.plugin_name for p in spec.plugins}
    return "taxel.markers" in used and "taxel" not in used and not any("cs::" in n.name for n in spec.numerics)


def complete(spec: Any) -> None:
    """Adds to an ``MjSpec`` what soft contact needs and the model lacks: the plugin instance and solver options.

    Mended, with a warning that says so: cone, the RK4 integrator and noslip iterations. Flags that someone switched on
    for their own sake (sleep, diagexact, override) are not touched: the model then does not compile, and says why.
    """
    mujoco = engine.need_mujoco()
    engine.need_spec(spec, "complete")
    engine.load()
    if not any(p.plugin_name == "taxel" for p in spec.plugins):
        if _only_markers(spec):
            return
        spec.activate_plugin("taxel")
        spec.add_plugin(name=_MODEL_INSTANCE, plugin_name="taxel")
    coupling = _coupling(spec)
    changed = []
    if coupling == "rows" and spec.option.cone != mujoco.mjtCone.mjCONE_ELLIPTIC:
        spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
        changed.append('cone="elliptic"')
    if coupling != "sense" and spec.option.integrator == mujoco.mjtIntegrator.mjINT_RK4:
        spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
        changed.append('integrator="implicitfast"')
    if coupling == "rows" and spec.option.noslip_iterations > 0:
        spec.option.noslip_iterations = 0
        changed.append('noslip_iterations="0"')
    if changed:
        warnings.warn(f"taxel set <option {' '.join(changed)}/>, which soft contact needs", stacklevel=engine._depth())


# --- Which geoms ---


def _can_touch(spec: Any, geom: Any) -> bool:
    if geom.contype or geom.conaffinity:
        return True
    return bool(geom.name) and any(geom.name in (p.geomname1, p.geomname2) for p in spec.pairs)


def _geoms_of_body(spec: Any, body: Any, where: str) -> list[Any]:
    title = f"body {body.name!r}" if body.name else "this body without a name"
    if not body.geoms:
        raise _core.Error(f"{where}: {title} has no geoms of its own; name the body that has them, or the geoms")
    found = [geom for geom in body.geoms if _can_touch(spec, geom)]
    if not found:
        raise _core.Error(
            f"{where}: {title} has {len(body.geoms)} geoms, and none can touch anything (contype and conaffinity are "
            "0); name the geoms, or another body"
        )
    return found


def _find(spec: Any, what: Any, where: str) -> list[Any]:
    """The geoms that one name, geom or body of the spec stands for."""
    mujoco = engine.need_mujoco()
    if isinstance(what, str):
        if what and (geom := spec.geom(what)) is not None:
            return [geom]
        if what and (body := spec.body(what)) is not None:
            return _geoms_of_body(spec, body, where)
        hint = _near(what, [g.name for g in spec.geoms if g.name] + [b.name for b in spec.bodies if b.name])
        raise _core.Error(f"{where}: there is no geom {what!r} in the model, and no body of that name{hint}")
    if isinstance(what, mujoco.MjsGeom):
        if not any(what == geom for geom in spec.geoms):
            raise _core.Error(f"{where}: geom {what.name!r} belongs to another spec; give one of this spec")
        return [what]
    if isinstance(what, mujoco.MjsBody):
        if not any(what == body for body in spec.bodies):
            raise _core.Error(f"{where}: body {what.name!r} belongs to another spec; give one of this spec")
        return _geoms_of_body(spec, what, where)
    raise TypeError(
        f"{where}: {what!r} is a {type(what).__name__}; give the name of a geom or a body, a geom or a body of the "
        "spec, or a list of them"
    )


def _near(name: str, known: Iterable[str]) -> str:
    import difflib

    near = difflib.get_close_matches(name, sorted(set(known)), 1)
    return f"; did you mean {near[0]!r}?" if near else ""


def _named(spec: Any, geom: Any) -> str:
    """The name of a geom, which gets one where it has none: tuples and sensors refer by name."""
    if not geom.name:
        taken = {g.name for g in spec.geoms}
        stem = f"{geom.parent.name or 'body'}_geom"
        k = next(k for k in range(len(taken) + 2) if f"{stem}{k}" not in taken)
        geom.name = f"{stem}{k}"
    return geom.name


def geom_names(spec: Any, geoms: Any, where: str) -> list[str]:
    """The names of the geoms that are meant: by geom or body, by name or object, one or many."""
    mujoco = engine.need_mujoco()
    single = isinstance(geoms, str | mujoco.MjsGeom | mujoco.MjsBody) or not isinstance(geoms, Iterable)
    found: list[Any] = []
    for what in [geoms] if single else list(geoms):
        found += [geom for geom in _find(spec, what, where) if not any(geom == other for other in found)]
    if not found:
        raise _core.Error(f"{where}: the list of geoms is empty; name one")
    return [_named(spec, geom) for geom in found]


def one_geom_name(spec: Any, geom: Any, where: str) -> str:
    """The same where exactly one geom is meant."""
    names = geom_names(spec, geom, where)
    if len(names) > 1:
        raise _core.Error(f"{where}: {len(names)} geoms are meant ({', '.join(names)}); name one of them")
    return names[0]


def soften(spec: Any, geoms: Any, *, name: str = "skin", **parameters: Any) -> None:
    """Makes geoms of an ``MjSpec`` soft: ``taxel.soften(spec, "pad", modulus=1e5, friction=0.6)``.

    With bristles instead of a pressure field (docs/guide/bristles.md), where each of them is, is part of the
    parameters: ``taxel.soften(spec, "pad", stiffness=58.5, depth=0.012, friction=(0.435, 0.23), shape=(14, 6))``.

    geoms       name of a geom or of a body, a geom or a body of the spec, or a list of them. A body stands for its own
                geoms that can touch something (not those of its children, nor visual ones). A geom without a name gets
                one: that of its body and a number
    parameters  the configuration keys of an instance (docs/guide/mujoco.md): modulus, dissipation, friction, field,
                thickness, exposed, resolution, ...; those of the whole model go to ``taxel.configure``
    name        must differ between calls with different parameters

    Cone, RK4 and noslip are set to what soft contact needs, with a warning (``taxel.complete``).
    """
    mujoco = engine.need_mujoco()
    engine.need_spec(spec, "soften")
    engine.load()
    known = GROUPS["material"] | LAYOUT_KEYS | _PAIR_KEYS | set(MODEL_KEYS)
    for key in parameters:
        if key not in known and key not in GROUPS["taxels"] | GROUPS["chain"]:
            raise _core.Error(unknown_key("soften", key, known))
    whole = {key: parameters.pop(key) for key in MODEL_KEYS if key in parameters}
    whole = {key: value for key, value in whole.items() if value is not None}
    if "modulus" not in parameters and not parameters.get("pair") and not has_bristles(parameters):
        raise _core.Error(
            "soften: give the modulus in Pa, for example modulus=1e5, or stiffness=, depth= and shape= of bristles"
        )
    if has_bristles(parameters) and not any(parameters.get(key) is not None for key in WHERE_KEYS):
        raise _core.Error(
            'soften: say where the bristles are, for example shape=(14, 6), or layout="vertices" on a mesh'
        )
    instance = next((p for p in spec.plugins if p.name == name), None)
    list_of_geoms = next((t for t in spec.texts if t.name == f"{name}::geoms"), None)
    # Ours, and its tuple went with a deleted geom: this call takes its place.
    orphan = list_of_geoms is not None and not any(t.name == name for t in spec.tuples)
    if instance is not None and not orphan:
        raise _core.Error(f"soften: there is already an instance {name!r}; give another name=")
    if instance is None and any(t.name == name for t in spec.tuples):
        raise _core.Error(f"soften: the model has a tuple {name!r} of its own; give another name=")
    _refuse_other_values(spec, whole)
    names = geom_names(spec, geoms, "soften")
    if whole:
        _set_model_keys(spec, whole)
    spec.activate_plugin("taxel")
    if instance is None:
        instance = spec.add_plugin(name=name, plugin_name="taxel")
    instance.config = config(parameters)
    # Attaching a model drops instances that nothing refers to; a body that refers to it keeps it.
    for g in names:
        body = spec.geom(g).parent
        if body != spec.worldbody and (not body.plugin.active or body.plugin.name == name):
            body.plugin.plugin_name, body.plugin.name, body.plugin.active = "taxel", name, True
            break
    spec.add_tuple(
        name=name,
        objtype=[mujoco.mjtObj.mjOBJ_GEOM] * len(names),
        objname=names,
        objprm=[0.0] * len(names),
    )
    # MuJoCo deletes the tuple with any of its geoms; the names stay for the message.
    if list_of_geoms is None:
        list_of_geoms = spec.add_text(name=f"{name}::geoms")
    list_of_geoms.data = " ".join(names)
    complete(spec)
