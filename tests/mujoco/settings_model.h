// A model whose words about touch the tests change one by one.
#pragma once

#include <string>

#include "test_model.h"

namespace taxel::mujoco::test {

// Two geoms on the floor, and the plugin.
struct Parts {
  std::string option = "cone=\"elliptic\"";
  std::string instance = "<config key=\"modulus\" value=\"2e5\"/>";
  std::string instances;
  std::string tuple = "<element objtype=\"geom\" objname=\"pad\"/>";
  std::string custom;
  std::string asset;
  std::string world;
  std::string rest;

  std::string xml() const {
    return "<mujoco><option " + option + "/><extension><plugin plugin=\"taxel\"><instance name=\"skin\">" +
           instance + "</instance>" + instances +
           "</plugin></extension><asset><material name=\"rubber\"/><material name=\"steel\"/>" + asset +
           "</asset><custom>" + (tuple.empty() ? "" : "<tuple name=\"skin\">" + tuple + "</tuple>") + custom +
           "</custom><worldbody><geom name=\"floor\" type=\"plane\" size=\"1 1 0.1\" friction=\"0.9\"/>"
           "<body name=\"finger\" pos=\"0 0 0.1\"><freejoint/>"
           "<geom name=\"pad\" type=\"box\" size=\"0.02 0.03 0.01\" material=\"rubber\" friction=\"0.6\"/>"
           "<geom name=\"bone\" type=\"capsule\" size=\"0.01 0.02\" pos=\"0 0 0.03\" material=\"rubber\"/>"
           "<site name=\"spot\"/></body>"
           "<body name=\"thing\" pos=\"0 0 0.2\"><freejoint/>"
           "<geom name=\"ball\" type=\"sphere\" size=\"0.02\" material=\"steel\" friction=\"0.3\"/></body>" +
           world + "</worldbody>" + rest + "</mujoco>";
  }
};
inline std::string Config(const std::string& key, const std::string& value) {
  return "<config key=\"" + key + "\" value=\"" + value + "\"/>";
}
inline std::string Element(const std::string& type, const std::string& name, const std::string& prm = "") {
  return "<element objtype=\"" + type + "\" objname=\"" + name + "\"" +
         (prm.empty() ? "" : " prm=\"" + prm + "\"") + "/>";
}
inline std::string Tuple(const std::string& name, const std::string& elements) {
  return "<tuple name=\"" + name + "\">" + elements + "</tuple>";
}

}  // namespace taxel::mujoco::test
