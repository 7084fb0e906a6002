/// What stands inside a block, read by md4c: emphasis, links, code, cells. The one place that knows md4c.
#pragma once

#include <string_view>
#include <vector>

#include "app/content/block.h"
#include "app/content/definitions.h"

namespace ingle::content {

/// CommonMark with strike-through and bare links. HTML is text, but for <br>, which is a line break. `text`:
/// lines of one paragraph without the marks of their containers. A paragraph of definitions only is an empty
/// text; one that goes on with another has none.
RichText parseParagraph(std::string_view text, Seam seam, const Definitions& definitions);

/// `line`: with its `#`s. Returns the level in `level`.
RichText parseHeading(std::string_view line, const Definitions& definitions, int& level);

/// Cells of lines that stand below a head of `columns` cells; the rest of a line has none, and missing ones
/// at the end are not listed.
std::vector<std::vector<RichText>> parseRows(std::string_view lines, size_t columns,
                                             const Definitions& definitions);

/// The number of cells that a table's row has.
size_t cellsIn(std::string_view line);

/// The alignments that a table's second line names, or none if it is no such line.
std::vector<Alignment> tableColumns(std::string_view line);

/// Whether a link may be handed to other programs; the view shows any other target as text.
bool opensOutside(std::string_view target);

}  // namespace ingle::content
