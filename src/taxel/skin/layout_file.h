// Lists of taxels in files.
#pragma once

#include <string>
#include <string_view>

#include "taxel/skin/layout_data.h"

namespace taxel {

/// Points, and normals for all of them or none, in metres and the frame of the geom.
///
/// CSV (.csv): a header, then one taxel a line; empty lines and lines that start with # are skipped.
///     x,y,z,nx,ny,nz            (or x,y,z)
///     0.001,0,0.02,0,0,1
/// JSON (.json): an object, or a list of triples or of six-tuples.
///     {"points": [[0.001, 0, 0.02]], "normals": [[0, 0, 1]]}        ("normals" may be left out)
///     [[0.001, 0, 0.02, 0, 0, 1]]
///
/// The extension says which, in any case of letters. Lines may end with LF, CRLF or CR; a byte-order mark is
/// allowed.
/// @throws Error "layout file 'NAME', line N: ..." for anything else: other columns or keys, a number that is
/// missing,
///         spelled wrongly, not finite or beyond 10 m (millimetres?), a normal without length, no point at
///         all, more than kMaxTaxels, text after the end.
LayoutSites ReadLayoutFile(const std::string& path);

/// The same from text; `name` is used in messages.
LayoutSites ParseLayoutCsv(std::string_view text, const std::string& name);
LayoutSites ParseLayoutJson(std::string_view text, const std::string& name);

}  // namespace taxel
