#include "taxel/shape/parse_vtk.h"

#include "taxel/shape/parse_vtk_legacy.h"
#include "taxel/shape/parse_vtk_xml.h"
#include "taxel/shape/text_scan.h"

namespace taxel::internal {

TetMesh ParseVtkTets(std::string_view bytes, const std::string& name) {
  CheckFileSize(bytes, name);
  TextScan scan(bytes, name);
  const std::string_view first = scan.Word();
  if (first.starts_with('<')) return ParseVtkXmlTets(bytes, name);
  if (first.starts_with('#')) return ParseVtkLegacyTets(bytes, name);
  scan.Fail(
      "starts with " + Quoted(first) +
      "; a VTK file starts with '# vtk DataFile Version' (legacy) or '<VTKFile' (XML): is this a VTK file?");
}

}  // namespace taxel::internal
