/// Regular expressions for names of tensors, by PCRE2.
#pragma once

#include <memory>
#include <string>

#include "ingle/result.h"

namespace ingle::importer {

class NamePattern {
  public:
    /// Errors: InvalidArgument.
    static Result<NamePattern> create(std::string text);

    const std::string& text() const { return m_text; }
    /// Whether some part of the name matches.
    bool isIn(std::string_view name) const;

  private:
    struct Code;
    NamePattern(std::string text, std::shared_ptr<const Code> code)
        : m_text(std::move(text)), m_code(std::move(code)) {}

    std::string m_text;
    std::shared_ptr<const Code> m_code;
};

}  // namespace ingle::importer
