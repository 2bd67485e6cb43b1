// Reader of the soft-contact paper's sensor definition (its Table 2): an AttachedSensor of OpenRAVE.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "taxel/bristle/bristle_options.h"

namespace taxel {

/// One sensor as the file gives it. SI units, per texel.
struct SensorXml {
  std::string link, name;  ///< the name of the sensor; where it has none, that of the AttachedSensor
  double thickness = 0;    ///< of the foam, m
  double k = 0, cn = 0;    ///< normal spring N/m and damper N s/m
  double sigma0 = 0, sigma1 = 0, x0 = 0, ct = 0, mus = 0, mud = 0;  ///< LuGre friction, Eqs. 9 to 13
  std::vector<std::string> notes;  ///< what was left out or read in another way, each with its line
};

/// Every AttachedSensor of the text, in order. As OpenRAVE writes it,
///
///     <AttachedSensor>
///       <link>object1</link>
///       <sensor name="T1" type="SimTactileSensor">
///         <thickness>0.006</thickness> <k>58.5</k> <cn>0.0583</cn> <sigma0>1.0</sigma0> <sigma1>0.1</sigma1>
///         <x0>0.3</x0> <ct>0.01</ct> <mus>0.435</mus> <mud>0.23</mud>
///       </sensor>
///     </AttachedSensor>
///
/// alone or anywhere in a robot's file, names of tags and attributes in upper or lower case (OpenRAVE lowers
/// them); and as the paper prints it: blanks inside tags (< /k >), typographic quotation marks, and
/// < sensorname = “T1” for <sensor name="T1".
///
/// The link and all nine parameters are needed, once each, in any order. Left out with a note: where the
/// sensor sits on its link (translation, quat, rotationaxis, rotationmat: here a pad is a geom with a pose of
/// its own), and power. Elements outside of AttachedSensor describe the rest of the robot and are skipped.
/// Everything else is an error.
/// What comes out passes CheckBristles.
/// @param path  names the text in messages
/// @throws Error "sensor file 'PATH', line N: ...".
std::vector<SensorXml> ParseSensorXml(std::string_view text, const std::string& path);
/// The same from a file of at most 16 MiB.
std::vector<SensorXml> ReadSensorXml(const std::string& path);

/// The probe is twice as long as the foam is thick (the paper's section 3.3.3); the form of the friction is
/// the passive one.
BristleOptions ToBristleOptions(const SensorXml& sensor);

}  // namespace taxel
