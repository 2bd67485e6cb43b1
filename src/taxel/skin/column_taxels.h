// Which taxels the columns of a skin lie on.
#pragma once

#include <vector>

namespace taxel {

/// Of each column its taxels and their parts of its area: of[start[c]] .. of[start[c + 1]]; none beyond the
/// array, one of part 1 where a taxel holds all of it. Empty: faces of the contact must be cut.
struct ColumnTaxels {
  struct Share {
    int taxel;
    double part;
  };
  std::vector<int> start;
  std::vector<Share> of;

  bool empty() const { return start.empty(); }
  int columns() const { return empty() ? 0 : static_cast<int>(start.size()) - 1; }
  /// The one that holds all of a column; -1: none does.
  int whole(int column) const {
    return start[column + 1] == start[column] + 1 && of[start[column]].part == 1 ? of[start[column]].taxel
                                                                                 : -1;
  }
};

}  // namespace taxel
