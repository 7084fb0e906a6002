#include "app/content/csv.h"

namespace ingle::content {
namespace {

void appendCell(std::string& out, const std::string& text) {
    if (text.find_first_of(",\"\r\n") == std::string::npos) {
        out += text;
        return;
    }
    out += '"';
    for (const char c : text) out.append(c == '"' ? 2 : 1, c);
    out += '"';
}

}  // namespace

std::string tableAsCsv(std::span<const Block> pieces) {
    std::string out;
    for (const Block& piece : pieces) {
        for (const std::vector<RichText>& row : piece.rows) {
            for (size_t column = 0; column < piece.columns.size(); ++column) {
                if (column > 0) out += ',';
                if (column < row.size()) appendCell(out, row[column].text);
            }
            out += "\r\n";
        }
    }
    return out;
}

}  // namespace ingle::content
