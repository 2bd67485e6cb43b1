// libFuzzer target: no bytes may crash, hang or exhaust the reader of the paper's sensor definitions.
//
// taxel::Error is the only exception it may throw. What it accepts must be fit for a pad.
//
//   cmake --preset fuzz && cmake --build --preset fuzz
//   mkdir -p out/sensor_xml
//   build/fuzz/fuzz/sensor_xml_fuzz -max_len=4096 -timeout=5 out/sensor_xml fuzz/corpus/sensor_xml
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "taxel/bristle/sensor_xml.h"
#include "taxel/math/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<taxel::SensorXml> sensors;
  try {
    sensors = taxel::ParseSensorXml({reinterpret_cast<const char*>(data), size}, "fuzz.xml");
  } catch (const taxel::Error&) {
    return 0;
  }
  if (sensors.empty()) std::abort();
  for (const taxel::SensorXml& s : sensors) {
    taxel::CheckBristles(taxel::ToBristleOptions(s), "fuzz");  // what it throws here is a finding
    if (s.link.empty()) std::abort();
  }
  return 0;
}
