/// Link reference definitions ("[1]: https://…") that a text has had so far.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ingle::content {

class Definitions {
  public:
    /// `text`: a paragraph of definitions.
    void add(std::string_view text);
    bool isEmpty() const { return m_texts.empty(); }
    /// The definitions of labels used in `text`, one below the other; at least those.
    std::string usedBy(std::string_view text) const;

  private:
    std::vector<std::string> m_texts;
    std::map<std::string, size_t, std::less<>> m_byLabel;  ///< the first one of a label counts
};

}  // namespace ingle::content
