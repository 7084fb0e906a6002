#include "engine/tokenizer/special_tokens.h"

#include <utf8proc.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "engine/base/find_text.h"
#include "engine/tokenizer/text_steps.h"
#include "ingle/utf8.h"

namespace ingle::tokenizer {
namespace {

using formats::TokenType;

/// Texts that end an answer in the vocabularies of published models, whatever the file says about them.
constexpr std::string_view kEndTexts[] = {"<|eot_id|>",
                                          "<|im_end|>",
                                          "<|end|>",
                                          "<|return|>",
                                          "<|call|>",
                                          "<|calls|>",
                                          "<|flush|>",
                                          "<end_of_turn>",
                                          "<eos>",
                                          "<|endoftext|>",
                                          "</s>",
                                          "<|eom_id|>",
                                          "<EOT>",
                                          "_<EOT>",
                                          "[EOT]",
                                          "[EOS]",
                                          "<|end_of_text|>",
                                          "<turn|>",
                                          "<end_of_utterance>",
                                          "<|tool_response>",
                                          "<|user|>",
                                          "<|observation|>",
                                          "<\uFF5Cend\u2581of\u2581sentence\uFF5C>",
                                          "<\uFF5Chy_eos:opensource\uFF5C>",
                                          "<|END_OF_TURN_TOKEN|>",
                                          "<|end_of_msg|>",
                                          "<|role_end|>",
                                          "<end_of_sentence>",
                                          "</assistant>",
                                          "[e~[",
                                          "\u3008|EOS|\u3009"};

bool isEndText(std::string_view text) {
    return std::ranges::find(kEndTexts, text) != std::end(kEndTexts);
}

/// Whether a token of kEndTexts is text in this vocabulary: HTML's "</s>", which ends what is struck out
/// (Gemma's vocabulary has the tags as tokens), and what the file calls normal although it names tokens that
/// end answers, unless the chat template writes it.
/// `written`: the texts that the template has.
bool isText(const formats::TokenizerData& data, size_t id, std::span<const std::string_view> written) {
    if (id >= data.types.size()) return false;
    const std::string& text = data.tokens[id];
    if (text == "</s>" && data.types[id] == TokenType::UserDefined) return true;
    const bool isNamed = data.eos || data.eot;
    return data.types[id] == TokenType::Normal && isNamed &&
           std::ranges::find(written, text) == written.end();
}

std::vector<std::string_view> endTextsIn(const std::string& chatTemplate) {
    std::vector<std::string_view> found;
    for (const std::string_view text : kEndTexts)
        if (chatTemplate.find(text) != std::string::npos) found.push_back(text);
    return found;
}

/// Conversions of fine-tuned models have marks of turns as user-defined tokens, which any text could spell.
bool looksLikeControl(std::string_view text) {
    return isEndText(text) || (text.starts_with("<|") && text.ends_with("|>"));
}

bool isSpaceAt(std::string_view text, size_t at, size_t& size) {
    const FirstCharacter first = firstCharacter(text.substr(at));
    size = first.bytes;
    const auto category = utf8proc_category(static_cast<utf8proc_int32_t>(first.code));
    return first.isWellFormed && ((first.code >= 0x09 && first.code <= 0x0D) || first.code == 0x85 ||
                                  (category >= UTF8PROC_CATEGORY_ZS && category <= UTF8PROC_CATEGORY_ZP));
}

void dropSpaceBefore(std::string& text) {
    size_t begin = 0;
    for (size_t size = 0; begin < text.size() && isSpaceAt(text, begin, size);) begin += size;
    text.erase(0, begin);
}

void dropSpaceBehind(std::string& text) {
    while (!text.empty()) {
        size_t at = text.size() - 1, size = 0;
        while (at > 0 && !isBoundary(text, at)) --at;
        if (!isSpaceAt(text, at, size) || at + size != text.size()) return;
        text.resize(at);
    }
}

/// A letter, digit, mark or underscore, as \w of regular expressions.
bool isWordAt(std::string_view text, size_t at) {
    const FirstCharacter first = firstCharacter(text.substr(at));
    if (!first.isWellFormed) return false;
    const auto category = utf8proc_category(static_cast<utf8proc_int32_t>(first.code));
    return (category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_NO) ||
           category == UTF8PROC_CATEGORY_PC;
}

/// Whether no word goes on at either side.
bool standsAlone(std::string_view text, size_t begin, size_t end) {
    if (end < text.size() && isWordAt(text, end)) return false;
    if (begin == 0) return true;
    size_t before = begin - 1;
    while (before > 0 && !isBoundary(text, before)) --before;
    return !isWordAt(text, before);
}

/// Tells quickly of most texts that they do not stand in a long one: by the hashes of all its runs of four
/// bytes.
class FourByteRuns {
  public:
    /// To be asked for so many texts: for a few of them, or in a short text, looking is as fast.
    FourByteRuns(std::string_view text, size_t numTexts)
        : m_isSet(text.size() < kWorthHashing || numTexts < kFewTexts ? 0 : std::bit_ceil(8 * text.size())) {
        for (size_t at = 0; !m_isSet.empty() && at + 4 <= text.size(); ++at)
            m_isSet[hash(text.substr(at))] = true;
    }
    bool mayHold(std::string_view text) const {
        return m_isSet.empty() || text.size() < 4 || m_isSet[hash(text)];
    }

  private:
    static constexpr size_t kWorthHashing = 1024, kFewTexts = 32;

    size_t hash(std::string_view text) const {
        uint32_t run = 0;
        std::memcpy(&run, text.data(), sizeof run);
        return (run * 0x9E3779B1u >> 3) & (m_isSet.size() - 1);
    }

    std::vector<bool> m_isSet;
};

/// A part of a text: a special token, or plain.
struct TextPart {
    std::optional<TokenId> special;
    size_t begin, end;
};

/// Cuts every occurrence of one special token out of the plain parts of `all`.
std::vector<TextPart> cutOut(const std::vector<TextPart>& parts, std::string_view all, TokenId id,
                             std::string_view text, bool isWord) {
    std::vector<TextPart> out;
    for (const TextPart& part : parts) {
        const std::string_view plain = all.substr(0, part.end);
        size_t begin = part.begin;
        if (!part.special) {
            for (size_t at = base::findText(plain, text, begin); at != std::string::npos;) {
                const size_t end = at + text.size();
                if (!isWord || standsAlone(all, at, end)) {
                    if (at > begin) out.push_back({std::nullopt, begin, at});
                    out.push_back({id, at, end});
                    begin = end;
                }
                at = base::findText(plain, text, end);
            }
        }
        if (begin < part.end) out.push_back({part.special, begin, part.end});
    }
    return out;
}

}  // namespace

SpecialTokens::SpecialTokens(const formats::TokenizerData& data, std::optional<TokenId> eos)
    : m_searches(data.searches), m_textSteps(data.textSteps) {
    for (size_t i = 0; i < data.types.size(); ++i) {
        const TokenType type = data.types[i];
        const bool isSpecial =
            type == TokenType::Control || type == TokenType::Unknown || type == TokenType::UserDefined;
        if (!isSpecial || data.tokens[i].empty()) continue;
        const auto id = static_cast<TokenId>(i);
        const bool inAnyText = type == TokenType::UserDefined && !looksLikeControl(data.tokens[i]);
        const auto found = data.searches.find(id);
        const auto search = found == data.searches.end() ? formats::TokenSearch{} : found->second;
        if (inAnyText && search.isNormalized)
            m_normalized.push_back({id, withTextSteps(data.tokens[i], m_textSteps), true, search});
        else
            m_candidates.push_back({id, data.tokens[i], inAnyText, search});
    }
    for (auto* candidates : {&m_candidates, &m_normalized})
        std::ranges::stable_sort(*candidates, std::ranges::greater{},
                                 [](const Candidate& c) { return c.text.size(); });

    for (const auto& id : {eos, data.eot, data.eom})
        if (id) m_endOfGeneration.push_back(*id);
    const std::vector<std::string_view> written = endTextsIn(data.chatTemplate);
    for (size_t i = 0; i < data.tokens.size(); ++i)
        if (isEndText(data.tokens[i]) && !isText(data, i, written))
            m_endOfGeneration.push_back(static_cast<TokenId>(i));
    // Where a message has parts ("channels"), <|end|> ends a part only, and these two end the message.
    const auto idOf = [&](std::string_view text) {
        const auto it = std::ranges::find(data.tokens, text);
        return it == data.tokens.end() ? std::nullopt
                                       : std::optional(static_cast<TokenId>(it - data.tokens.begin()));
    };
    if (idOf("<|return|>") && idOf("<|call|>"))
        if (const auto part = idOf("<|end|>")) std::erase(m_endOfGeneration, *part);
    std::ranges::sort(m_endOfGeneration);
}

Result<std::vector<Fragment>> SpecialTokens::cut(std::string_view text, bool parseSpecial,
                                                 std::span<const Candidate> candidates,
                                                 TextMeter& meter) const {
    std::vector<TextPart> parts;
    if (!text.empty()) parts.push_back({std::nullopt, 0, text.size()});
    const FourByteRuns runs(text, candidates.size());
    for (const Candidate& candidate : candidates) {
        if (!parseSpecial && !candidate.inAnyText) continue;
        if (!runs.mayHold(candidate.text)) continue;
        INGLE_TRY(meter.spend(candidate.text.size() + text.size() / 8 + 4 * parts.size()));
        parts = cutOut(parts, text, candidate.id, candidate.text, candidate.search.isWord);
    }
    std::vector<Fragment> fragments;
    for (const TextPart& part : parts)
        fragments.push_back(
            {part.special, part.special ? "" : std::string(text.substr(part.begin, part.end - part.begin))});
    return fragments;
}

void SpecialTokens::join(std::vector<Fragment> parts, std::vector<Fragment>& out) const {
    const auto searchOf = [this](TokenId id) {
        const auto found = m_searches.find(id);
        return found == m_searches.end() ? formats::TokenSearch{} : found->second;
    };
    for (Fragment& part : parts) {
        const bool isBehindSpecial = !out.empty() && out.back().special;
        if (part.special) {
            const bool trims = !out.empty() && !isBehindSpecial && searchOf(*part.special).takesSpaceBefore;
            if (trims) dropSpaceBehind(out.back().text);
            if (trims && out.back().text.empty()) out.pop_back();
        } else if (isBehindSpecial && searchOf(*out.back().special).takesSpaceBehind) {
            dropSpaceBefore(part.text);
            if (part.text.empty()) continue;
        }
        if (!part.special && !out.empty() && !out.back().special)
            out.back().text += part.text;
        else
            out.push_back(std::move(part));
    }
}

Result<std::vector<Fragment>> SpecialTokens::split(std::span<const TextSegment> segments,
                                                   TextMeter& meter) const {
    std::vector<Fragment> out;
    for (const TextSegment& segment : segments) {
        INGLE_TRY_ASSIGN(auto parts, cut(segment.text, segment.parseSpecial, m_candidates, meter));
        join(std::move(parts), out);
    }
    for (Fragment& fragment : out)
        if (!fragment.special) fragment.text = withTextSteps(std::move(fragment.text), m_textSteps);
    if (m_normalized.empty()) return out;
    std::vector<Fragment> cutAgain;
    for (Fragment& fragment : out) {
        std::vector<Fragment> parts{std::move(fragment)};
        if (!parts.front().special) {
            INGLE_TRY_ASSIGN(parts, cut(parts.front().text, false, m_normalized, meter));
        }
        join(std::move(parts), cutAgain);
    }
    return cutAgain;
}

bool SpecialTokens::keepsText() const {
    return m_textSteps.empty() && std::ranges::none_of(m_searches, [](const auto& entry) {
               return entry.second.takesSpaceBefore || entry.second.takesSpaceBehind;
           });
}

size_t SpecialTokens::longest() const {
    size_t longest = 0;
    for (const auto* candidates : {&m_candidates, &m_normalized})
        if (!candidates->empty()) longest = std::max(longest, candidates->front().text.size());
    return longest;
}

bool SpecialTokens::isEndOfGeneration(TokenId id) const {
    return std::ranges::binary_search(m_endOfGeneration, id);
}

}  // namespace ingle::tokenizer
