#include "engine/import/name_pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

namespace ingle::importer {

struct NamePattern::Code {
    explicit Code(pcre2_code* compiled) : code(compiled) {}
    ~Code() { pcre2_code_free(code); }
    Code(const Code&) = delete;
    Code& operator=(const Code&) = delete;

    pcre2_code* code;
};

Result<NamePattern> NamePattern::create(std::string text) {
    int error = 0;
    PCRE2_SIZE offset = 0;
    pcre2_code* code =
        pcre2_compile(reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), 0, &error, &offset, nullptr);
    if (!code) return fail(ErrorCode::InvalidArgument, "\"{}\" is not a regular expression", text);
    auto kept = std::make_shared<const Code>(code);
    return NamePattern(std::move(text), std::move(kept));
}

bool NamePattern::isIn(std::string_view name) const {
    pcre2_match_data* match = pcre2_match_data_create(1, nullptr);
    const int count = pcre2_match(m_code->code, reinterpret_cast<PCRE2_SPTR>(name.data()), name.size(), 0, 0,
                                  match, nullptr);
    pcre2_match_data_free(match);
    return count >= 0;
}

}  // namespace ingle::importer
