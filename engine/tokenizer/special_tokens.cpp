#include "engine/tokenizer/special_tokens.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "engine/base/find_text.h"
#include "engine/tokenizer/text_steps.h"

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
                                          "<\uFF5Cend\u2581of\u2581sentence\uFF5C>"};

/// Whether a token of kEndTexts is text in this vocabulary: HTML's "</s>", which ends what is struck out
/// (Gemma's vocabulary has the tags as tokens).
bool isTag(const formats::TokenizerData& data, size_t id) {
    return data.tokens[id] == "</s>" && id < data.types.size() && data.types[id] == TokenType::UserDefined;
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

/// Cuts every occurrence of one special token out of the plain parts.
std::vector<Fragment> cutOut(std::vector<Fragment> fragments, TokenId id, std::string_view text) {
    std::vector<Fragment> out;
    for (Fragment& fragment : fragments) {
        size_t at = fragment.special ? std::string::npos : base::findText(fragment.text, text);
        if (at == std::string::npos) {
            out.push_back(std::move(fragment));
            continue;
        }
        size_t begin = 0;
        for (; at != std::string::npos; at = base::findText(fragment.text, text, begin)) {
            if (at > begin) out.push_back({std::nullopt, fragment.text.substr(begin, at - begin)});
            out.push_back({id, ""});
            begin = at + text.size();
        }
        if (begin < fragment.text.size()) out.push_back({std::nullopt, fragment.text.substr(begin)});
    }
    return out;
}

}  // namespace

SpecialTokens::SpecialTokens(const formats::TokenizerData& data, std::optional<TokenId> eos)
    : m_textSteps(data.textSteps) {
    for (size_t i = 0; i < data.types.size(); ++i) {
        const TokenType type = data.types[i];
        const bool isSpecial =
            type == TokenType::Control || type == TokenType::Unknown || type == TokenType::UserDefined;
        if (isSpecial && !data.tokens[i].empty())
            m_candidates.push_back({static_cast<TokenId>(i), data.tokens[i], type == TokenType::UserDefined});
    }
    std::ranges::stable_sort(m_candidates, std::ranges::greater{},
                             [](const Candidate& c) { return c.text.size(); });

    for (const auto& id : {eos, data.eot, data.eom})
        if (id) m_endOfGeneration.push_back(*id);
    for (size_t i = 0; i < data.tokens.size(); ++i)
        if (std::ranges::find(kEndTexts, data.tokens[i]) != std::end(kEndTexts) && !isTag(data, i))
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

Result<std::vector<Fragment>> SpecialTokens::split(std::span<const TextSegment> segments,
                                                   TextMeter& meter) const {
    std::vector<Fragment> out;
    for (const TextSegment& segment : segments) {
        std::vector<Fragment> parts;
        if (!segment.text.empty()) parts.push_back({std::nullopt, segment.text});
        const FourByteRuns runs(segment.text, m_candidates.size());
        for (const Candidate& candidate : m_candidates) {
            if (!segment.parseSpecial && !candidate.inAnyText) continue;
            if (!runs.mayHold(candidate.text)) continue;
            INGLE_TRY(meter.spend(candidate.text.size() + segment.text.size() / 8 + 4 * parts.size()));
            parts = cutOut(std::move(parts), candidate.id, candidate.text);
        }
        for (Fragment& part : parts) {
            if (!part.special && !out.empty() && !out.back().special)
                out.back().text += part.text;
            else
                out.push_back(std::move(part));
        }
    }
    for (Fragment& fragment : out)
        if (!fragment.special) fragment.text = withTextSteps(std::move(fragment.text), m_textSteps);
    return out;
}

bool SpecialTokens::isEndOfGeneration(TokenId id) const {
    return std::ranges::binary_search(m_endOfGeneration, id);
}

}  // namespace ingle::tokenizer
