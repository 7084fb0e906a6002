#include "engine/session/conversations/embedding_text.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace ingle::session {
namespace {

using tokenizer::TextSegment;

/// What stands before a text.
struct Prompts {
    std::string_view query, document, alone;
};

/// Of models whose GGUF files say nothing of it, though they were trained so; folders do, and what is
/// imported from them. Sources: the models' pages.
struct KnownPrompts {
    std::string_view arch;
    std::string_view name;  ///< a part of general.name, in small letters; empty: any
    Prompts prompts;
};
constexpr KnownPrompts kKnown[] = {
    {"nomic-bert", "", {"search_query: ", "search_document: ", ""}},
    {"nomic-bert-moe", "", {"search_query: ", "search_document: ", ""}},
    {"gemma-embedding", "", {"task: search result | query: ", "title: none | text: ", ""}},
    {"qwen3",
     "",
     {"Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:", "",
      ""}},
    {"bert", "e5", {"query: ", "passage: ", ""}},
    {"bert", "bge", {"Represent this sentence for searching relevant passages: ", "", ""}},
    {"bert", "mxbai", {"Represent this sentence for searching relevant passages: ", "", ""}},
    {"bert", "arctic-embed", {"Represent this sentence for searching relevant passages: ", "", ""}},
};

Prompts knownPrompts(const OpenedModel& model) {
    std::string name = model.info.name;
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
    const auto known = std::ranges::find_if(kKnown, [&](const KnownPrompts& row) {
        return row.arch == model.info.family && name.find(row.name) != name.npos;
    });
    // The instruction of those for Chinese, or for many languages, is another one, or there is none.
    const bool isOther = name.find("-zh") != name.npos || name.find("m3") != name.npos;
    return known == std::end(kKnown) || isOther ? Prompts{} : known->prompts;
}

std::string promptOf(const OpenedModel& model, TextUse use) {
    const Prompts known = knownPrompts(model);
    struct Row {
        std::string_view key, known;
    };
    const std::array<Row, 3> rows{
        {{"alone", known.alone}, {"query", known.query}, {"document", known.document}}};
    // A file that states one states all that it has.
    const auto key = [](std::string_view name) { return fmt::format("embedding.prompt.{}", name); };
    const bool isStated = std::ranges::any_of(
        rows, [&](const Row& row) { return model.file.metadata.find(key(row.key)) != nullptr; });
    const Row& row = rows.at(static_cast<size_t>(use));
    if (!isStated) return std::string(row.known);
    return model.file.metadata.stringOr(key(row.key), "").value_or("");
}

Result<const tokenizer::Tokenizer*> tokenizerOf(const OpenedModel& model) {
    if (model.tokenizer) return model.tokenizer.get();
    return fail(ErrorCode::Unsupported, "the model file has no tokenizer");
}

/// "… {query} … {document} …", in which only these two are not the template's own words.
std::vector<TextSegment> filledTemplate(std::string_view words, std::string_view query,
                                        std::string_view document) {
    struct Slot {
        std::string_view mark, text;
    };
    const std::array<Slot, 2> slots{{{"{query}", query}, {"{document}", document}}};
    std::vector<TextSegment> segments;
    while (!words.empty()) {
        size_t at = words.size();
        const Slot* next = nullptr;
        for (const Slot& slot : slots) {
            const size_t found = words.find(slot.mark);
            if (found < at) at = found, next = &slot;
        }
        segments.push_back({std::string(words.substr(0, at)), true});
        if (!next) break;
        segments.push_back({std::string(next->text), false});
        words.remove_prefix(at + next->mark.size());
    }
    return segments;
}

Result<std::vector<TokenId>> besideEachOther(const tokenizer::Tokenizer& tokenizer,
                                             const formats::TokenizerData& data, std::string_view query,
                                             std::string_view document) {
    const TextSegment first{std::string(query), false};
    const TextSegment second{std::string(document), false};
    INGLE_TRY_ASSIGN(std::vector<TokenId> ids, tokenizer.encode({&first, 1}, /*addSpecial=*/true));
    INGLE_TRY_ASSIGN(const std::vector<TokenId> behind, tokenizer.encode({&second, 1}, /*addSpecial=*/true));
    // BERT has one separator between both, RoBERTa and its like have two.
    const bool beginsAnew = data.bos && !behind.empty() && behind.front() == *data.bos;
    if (beginsAnew && data.model != "bert") {
        if (const auto separator = data.separator ? data.separator : data.eos) ids.push_back(*separator);
    }
    ids.insert(ids.end(), behind.begin() + (beginsAnew ? 1 : 0), behind.end());
    return ids;
}

/// At most so many bytes of a text, in whole characters.
std::string_view firstBytes(std::string_view text, size_t most) {
    const auto isInside = [&](size_t at) { return (static_cast<uint8_t>(text[at]) & 0xC0) == 0x80; };
    while (most > 0 && most < text.size() && isInside(most)) --most;
    return text.substr(0, most);
}

}  // namespace

Result<std::vector<TokenId>> embeddingTokens(const OpenedModel& model, std::string_view text, TextUse use) {
    INGLE_TRY_ASSIGN(const tokenizer::Tokenizer* tokenizer, tokenizerOf(model));
    const TextSegment segment{promptOf(model, use) + std::string(text), false};
    INGLE_TRY_ASSIGN(std::vector<TokenId> ids, tokenizer->encode({&segment, 1}, /*addSpecial=*/true));
    // The row of the last token stands for the text: these models were trained with an end there, and files
    // that do not say so are older than their keys.
    const formats::TokenizerData& data = model.file.tokenizer;
    const bool endsByItself = data.addEos.has_value() || model.bound.facts().pooling != models::Pooling::Last;
    if (!endsByItself && data.eos && (ids.empty() || ids.back() != *data.eos)) ids.push_back(*data.eos);
    return ids;
}

Result<std::vector<TokenId>> pairTokens(const OpenedModel& model, std::string_view query,
                                        std::string_view document, size_t most) {
    INGLE_TRY_ASSIGN(const tokenizer::Tokenizer* tokenizer, tokenizerOf(model));
    if (!model.bound.facts().isClassifier)
        return fail(ErrorCode::Unsupported, "{}: the model embeds texts and scores no pairs",
                    model.file.path);
    INGLE_TRY_ASSIGN(const std::string words,
                     model.file.metadata.stringOr("tokenizer.chat_template.rerank", ""));
    const auto encoded = [&](std::string_view part) -> Result<std::vector<TokenId>> {
        if (!words.empty()) return tokenizer->encode(filledTemplate(words, query, part), false);
        return besideEachOther(*tokenizer, model.file.tokenizer, query, part);
    };
    for (;;) {
        INGLE_TRY_ASSIGN(std::vector<TokenId> ids, encoded(document));
        if (ids.size() <= most) return ids;
        if (document.empty())
            return fail(ErrorCode::InvalidArgument,
                        "the query is too long: it takes {} tokens without a document, of {} that the model "
                        "reads of both",
                        ids.size(), most);
        // A little less each time: how many bytes a token has differs from place to place.
        const size_t surplus = document.size() * (ids.size() - most) / ids.size();
        document = firstBytes(document, document.size() - std::min(document.size(), surplus + 1));
    }
}

}  // namespace ingle::session
