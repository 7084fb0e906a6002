#include "engine/session/conversations/answer_rules.h"

#include <algorithm>

#include "engine/grammar/gbnf.h"
#include "engine/grammar/json_schema.h"
#include "ingle/error_ids.h"

namespace ingle::session {
namespace {

/// Masks are kept for places that an answer comes back to; each is an eighth of the vocabulary in bytes.
constexpr size_t kMostMasks = 64;

Result<grammar::Grammar> compiled(const GenerateRequest& request) {
    if (!request.grammar.empty() && !request.jsonSchema.empty())
        return fail(ErrorCode::InvalidArgument, "an answer follows a grammar or a schema, not both");
    INGLE_TRY_ASSIGN(const grammar::Rules rules, request.grammar.empty()
                                                     ? grammar::parseJsonSchema(request.jsonSchema)
                                                     : grammar::parseGbnf(request.grammar));
    return grammar::compile(rules);
}

std::string_view withoutBlanks(std::string_view text) {
    return text.substr(std::min(text.find_first_not_of(" \n\r\t"), text.size()));
}

}  // namespace

Result<std::optional<AnswerRules>> AnswerRules::create(const OpenedModel& model,
                                                       const GenerateRequest& request,
                                                       const std::string& promptEnd) {
    if (request.grammar.empty() && request.jsonSchema.empty()) return std::optional<AnswerRules>();
    if (request.messages.empty() && request.rawPrompt.empty())
        return fail(ErrorCode::InvalidArgument, "an answer of ids alone cannot follow a grammar");
    auto rules = compiled(request);
    if (!rules) {
        const std::string why = rules.error().message;
        return tl::unexpected<Error>(withId<ErrorId::GrammarRefused>(std::move(rules).error(), why));
    }
    if (!model.tokenTrie) {
        std::vector<std::string> bytes(model.tokenizer->vocabSize());
        for (size_t id = 0; id < bytes.size(); ++id) bytes[id] = bytesOf(model, static_cast<TokenId>(id));
        model.tokenTrie = std::make_shared<grammar::TokenTrie>(bytes);
    }
    AnswerRules out(std::move(*rules));
    if (out.m_matcher.exceeded()) return tl::unexpected<Error>(out.tooWide());
    if (request.messages.empty()) return std::optional<AnswerRules>(std::move(out));
    if (model.shape.thinks) out.m_phase = Phase::Begin;
    const std::string_view end = promptEnd;
    size_t last = 0;
    for (const chat::Markup& markup : chat::allMarkups()) {
        if (markup.kind != PartKind::Thought) continue;
        const size_t begin = end.rfind(markup.begin);
        if (begin == std::string_view::npos || begin < last) continue;
        last = begin;
        const bool isOpen = end.find(markup.end, begin + markup.begin.size()) == std::string_view::npos;
        out.m_phase = isOpen ? Phase::Thought : Phase::Answer;
        out.m_endMark = markup.end;
    }
    return std::optional<AnswerRules>(std::move(out));
}

std::string AnswerRules::bytesOf(const OpenedModel& model, TokenId id) {
    if (model.tokenizer->isEndOfGeneration(id)) return {};
    return model.tokenizer->pieceBytes(id);
}

bool AnswerRules::mayBeginThought(std::string_view text) {
    text = withoutBlanks(text);
    return std::ranges::any_of(chat::allMarkups(), [&](const chat::Markup& markup) {
        return markup.kind == PartKind::Thought &&
               (text.starts_with(markup.begin) || markup.begin.starts_with(text));
    });
}

Error AnswerRules::tooWide() const {
    return withId<ErrorId::GrammarTooWide>(
        Error{ErrorCode::Unsupported, "the grammar leaves more ways to go on than can be followed"});
}

bool AnswerRules::allows(const OpenedModel& model, TokenId id) {
    const bool isEnd = model.tokenizer->isEndOfGeneration(id);
    if (m_phase == Phase::Thought) return !isEnd;
    if (m_phase == Phase::Begin) {
        const auto mark = model.markTokens.find(id);
        const std::string text = mark == model.markTokens.end() ? bytesOf(model, id) : mark->second;
        if (!text.empty() && mayBeginThought(m_written + text)) return true;
    }
    if (isEnd) return m_matcher.canEnd();
    const std::string bytes = bytesOf(model, id);
    return !bytes.empty() && m_matcher.accepts(bytes);
}

Result<const std::vector<bool>*> AnswerRules::allowed(const OpenedModel& model) {
    if (m_phase == Phase::Thought) {
        for (size_t id = m_notEnds.size(); id < model.tokenizer->vocabSize(); ++id)
            m_notEnds.push_back(!model.tokenizer->isEndOfGeneration(static_cast<TokenId>(id)));
        return &m_notEnds;
    }
    if (m_masks.size() >= kMostMasks) m_masks.clear();
    const auto [found, isNew] = m_masks.try_emplace(m_matcher.state());
    if (isNew) {
        found->second = model.tokenTrie->allowed(m_matcher, m_matcher.state());
        for (size_t id = 0; m_matcher.canEnd() && id < found->second.size(); ++id)
            if (model.tokenizer->isEndOfGeneration(static_cast<TokenId>(id))) found->second[id] = true;
    }
    if (m_matcher.exceeded()) return tl::unexpected<Error>(tooWide());
    if (std::ranges::find(found->second, true) == found->second.end())
        return fail(ErrorCode::Unsupported, "no token of this model can go on as the grammar asks");
    return &found->second;
}

Status AnswerRules::take(const OpenedModel& model, TokenId id) {
    m_justBegan = false;
    if (model.tokenizer->isEndOfGeneration(id)) return {};
    std::string bytes = bytesOf(model, id);
    if (m_phase != Phase::Answer) {
        const auto mark = model.markTokens.find(id);
        const std::string& text = mark == model.markTokens.end() ? bytes : mark->second;
        if (m_phase == Phase::Begin && !mayBeginThought(m_written + text)) {
            m_phase = Phase::Answer;
        } else {
            m_written += text;
            if (m_phase == Phase::Begin) {
                for (const chat::Markup& markup : chat::allMarkups()) {
                    if (markup.kind != PartKind::Thought ||
                        !withoutBlanks(m_written).starts_with(markup.begin))
                        continue;
                    m_phase = Phase::Thought;
                    m_endMark = markup.end;
                    m_written.clear();
                    break;
                }
                return {};
            }
            const size_t end = m_written.find(m_endMark);
            if (end == std::string::npos) {
                m_written.erase(0, m_written.size() - std::min(m_written.size(), m_endMark.size()));
                return {};
            }
            bytes = withoutBlanks(std::string_view(m_written).substr(end + m_endMark.size()));
            m_phase = Phase::Answer;
            m_justBegan = true;
        }
    }
    if (m_matcher.exceeded()) return tl::unexpected<Error>(tooWide());
    if (!m_matcher.advance(bytes)) {
        if (m_matcher.exceeded()) return tl::unexpected<Error>(tooWide());
        return fail(ErrorCode::InvalidArgument, "token {} does not follow the grammar of the answer", id);
    }
    if (m_matcher.forgetIfMany()) m_masks.clear();
    return {};
}

}  // namespace ingle::session
