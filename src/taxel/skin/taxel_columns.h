// Columns of a skin laid by its taxels.
#pragma once

#include "taxel/contact/body.h"
#include "taxel/skin/layout_data.h"

namespace taxel {

/// Where a skin of columns has no spacing (resolution) of its own, its taxels give it: each taxel gets a
/// whole number of columns along each of its sides, so that there are about as many in all as without taxels.
/// Where the taxels lie in rows on a flat skin (a box, or a mesh without a thickness), by a grid or by a list
/// of points, the columns stand in line with them (FieldOptions::column_cell): a reading then cuts nothing.
/// Elsewhere only the spacing comes from them. Nothing changes where the field is another one, where a
/// resolution or a cell is given, on a half space (its columns are made where something touches it), where
/// the taxels are on another face, and where one column a taxel would make more than kMostByTaxels.
///
/// @param shape    primitive or surface of the body; soft or rigid
/// @param options  those of the soft body, `exposed` in the frame of `shape`
void ColumnsByTaxels(const Layout& layout, const Body& shape, BodyOptions* options);
inline constexpr double kMostByTaxels = 16384;

/// The body with its columns laid so; the same body where nothing changes.
Body WithColumnsByTaxels(const Layout& layout, const Body& body);

}  // namespace taxel
