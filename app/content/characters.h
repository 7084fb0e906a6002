/// Characters as Markdown tells them apart.
#pragma once

namespace ingle::content {

/// White space within a paragraph.
inline bool isSpace(char c) {
    return c == ' ' || c == '\t' || c == '\n';
}

}  // namespace ingle::content
