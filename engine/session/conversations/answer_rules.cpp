#include "engine/session/conversations/answer_rules.h"

#include <algorithm>
#include <mutex>

#include "engine/grammar/gbnf.h"
#include "engine/grammar/json_schema.h"
#include "engine/session/conversations/call_rules.h"
#include "ingle/error_ids.h"

namespace ingle::session {
namespace {

/// Masks are kept for places that an answer comes back to; each is an eighth of the vocabulary in bytes.
constexpr size_t kMostMasks = 64;

/// Of white space before an answer: a model that likes blanks would never begin.
constexpr size_t kMostBlanks = 16;

struct Compiled {
    grammar::Grammar rules;
    std::shared_ptr<const grammar::SchemaCheck> check;
    bool hasTokens = false;
};

std::string_view withoutBlanks(std::string_view text) {
    return text.substr(std::min(text.find_first_not_of(" \n\r\t"), text.size()));
}

/// The end of a call, without the token that ends an answer anyhow.
std::string withoutEndToken(const OpenedModel& model, std::string text) {
    for (size_t id = 0; id < model.tokenizer->vocabSize(); ++id) {
        const auto token = static_cast<TokenId>(id);
        if (!model.tokenizer->isEndOfGeneration(token)) continue;
        const std::string& mark = model.file.tokenizer.tokens[id];
        if (mark.empty() || !text.ends_with(mark)) continue;
        text.resize(text.size() - mark.size());
        break;
    }
    return text;
}

/// The rules of a call that is demanded; nothing: none is, or it has to be in JSON.
std::optional<grammar::Grammar> compiledCall(const OpenedModel& model, const GenerateRequest& request,
                                             const PlannedPrompt& prompt) {
    const std::vector<std::string> names = demandedTools(request.jsonSchema);
    if (names.empty() || request.messages.empty()) return std::nullopt;
    auto layout = promptsOf(model, request.promptForm).callLayout();
    // Blanks before an answer are free, so a call cannot begin with one.
    if (!layout || withoutBlanks(layout->begin).size() != layout->begin.size()) return std::nullopt;
    layout->end = withoutEndToken(model, std::move(layout->end));
    if (layout->parameters)
        layout->parameters->emptyEnd = withoutEndToken(model, std::move(layout->parameters->emptyEnd));
    const auto rules = callRules(*layout, request.promptForm.tools, names, prompt.calls);
    if (!rules) return std::nullopt;
    auto grammar = grammar::compile(*rules);
    return grammar ? std::optional(std::move(*grammar)) : std::nullopt;
}

Result<Compiled> compiled(const OpenedModel& model, const GenerateRequest& request) {
    if (!request.grammar.empty() && !request.jsonSchema.empty())
        return fail(ErrorCode::InvalidArgument, "an answer follows a grammar or a schema, not both");
    Compiled out;
    if (request.grammar.empty()) {
        INGLE_TRY_ASSIGN(grammar::SchemaRules schema, grammar::readJsonSchema(request.jsonSchema));
        INGLE_TRY_ASSIGN(out.rules, grammar::compile(schema.rules));
        out.check = std::move(schema.check);
    } else {
        const auto& tokens = model.file.tokenizer.tokens;
        const auto tokenOf = [&tokens](const std::string& text) -> std::optional<uint32_t> {
            const auto found = std::ranges::find(tokens, text);
            return found == tokens.end() ? std::nullopt
                                         : std::optional(static_cast<uint32_t>(found - tokens.begin()));
        };
        INGLE_TRY_ASSIGN(const grammar::Rules rules, grammar::parseGbnf(request.grammar, tokenOf));
        INGLE_TRY_ASSIGN(out.rules, grammar::compile(rules));
        out.hasTokens = rules.hasTokens;
    }
    return out;
}

}  // namespace

Result<std::optional<AnswerRules>> AnswerRules::create(const OpenedModel& model,
                                                       const GenerateRequest& request,
                                                       const PlannedPrompt& prompt) {
    if (request.grammar.empty() && request.jsonSchema.empty()) return std::optional<AnswerRules>();
    if (request.messages.empty() && request.rawPrompt.empty() && !request.idsAreText)
        return fail(ErrorCode::InvalidArgument, "an answer of ids alone cannot follow a grammar");
    auto call = compiledCall(model, request, prompt);
    const bool isCall = call.has_value();
    auto rules = isCall ? Result<Compiled>(Compiled{std::move(*call), nullptr}) : compiled(model, request);
    if (!rules) {
        const std::string why = rules.error().message;
        return tl::unexpected<Error>(withId<ErrorId::GrammarRefused>(std::move(rules).error(), why));
    }
    AnswerRules out(std::move(rules->rules), trieOf(model, isCall), isCall);
    out.m_check = std::move(rules->check);
    if (rules->hasTokens) out.m_codes = codesOf(model);
    if (out.m_matcher.exceeded()) return tl::unexpected<Error>(out.tooWide());
    // Rules that name tokens say themselves whether there is a thought.
    if (request.messages.empty() || rules->hasTokens) return std::optional<AnswerRules>(std::move(out));
    if (prompt.thinks) {
        out.m_phase = Phase::Begin;
        out.m_blanksAreFree = true;
    }
    out.m_marks = prompt.calls;
    const std::string end = prompt.calls.spelled(prompt.end);
    size_t last = 0;
    for (const chat::Markup& markup : prompt.calls.markups()) {
        if (markup.kind != PartKind::Thought) continue;
        const size_t begin = end.rfind(markup.begin);
        if (begin == std::string::npos || begin < last) continue;
        last = begin;
        const bool isOpen = end.find(markup.end, begin + markup.begin.size()) == std::string::npos;
        out.m_phase = isOpen ? Phase::Thought : Phase::Answer;
        out.m_endMark = markup.end;
        out.m_blanksAreFree = true;
    }
    return std::optional<AnswerRules>(std::move(out));
}

std::shared_ptr<const grammar::TokenTrie> AnswerRules::trieOf(const OpenedModel& model, bool isCall) {
    static std::mutex mutex;  // prompts are made on several threads
    const std::scoped_lock lock(mutex);
    auto& trie = isCall ? model.callTrie : model.tokenTrie;
    if (!trie) {
        const size_t numChoices =
            std::min<size_t>(model.tokenizer->vocabSize(), model.bound.facts().vocabSize);
        std::vector<std::string> bytes(numChoices);
        for (size_t id = 0; id < bytes.size(); ++id)
            bytes[id] = answerBytes(model, static_cast<TokenId>(id), isCall);
        trie = std::make_shared<grammar::TokenTrie>(bytes);
    }
    return trie;
}

std::shared_ptr<const grammar::TokenTrie> AnswerRules::codesOf(const OpenedModel& model) {
    const size_t numChoices = std::min<size_t>(model.tokenizer->vocabSize(), model.bound.facts().vocabSize);
    std::vector<std::string> codes(numChoices);
    for (size_t id = 0; id < codes.size(); ++id) codes[id] = grammar::tokenCode(static_cast<uint32_t>(id));
    return std::make_shared<grammar::TokenTrie>(codes);
}

bool AnswerRules::namesToken(TokenId id) {
    return m_codes && m_matcher.accepts(grammar::tokenCode(static_cast<uint32_t>(id)));
}

std::string AnswerRules::bytesOf(const OpenedModel& model, TokenId id) {
    if (model.tokenizer->isEndOfGeneration(id)) return {};
    return model.tokenizer->pieceBytes(id);
}

bool AnswerRules::mayBeginThought(std::string_view text) const {
    if (text.size() - withoutBlanks(text).size() > kMostBlanks) return false;
    text = withoutBlanks(text);
    return std::ranges::any_of(m_marks.markups(), [&](const chat::Markup& markup) {
        return markup.kind == PartKind::Thought &&
               (text.starts_with(markup.begin) || markup.begin.starts_with(text));
    });
}

std::optional<std::string> AnswerRules::violation() const {
    // What a stop string cut off is told as it is.
    if (!m_check || !m_matcher.canEnd()) return std::nullopt;
    return m_check->violation(m_answer);
}

Error AnswerRules::tooWide() const {
    return withId<ErrorId::GrammarTooWide>(
        Error{ErrorCode::Unsupported, "the grammar leaves more ways to go on than can be followed"});
}

std::string AnswerRules::answerBytes(const OpenedModel& model, TokenId id, bool isCall) {
    return isCall && !model.tokenizer->isEndOfGeneration(id) ? markOrBytes(model, id) : bytesOf(model, id);
}

std::string AnswerRules::markOrBytes(const OpenedModel& model, TokenId id) {
    const std::string* control = model.prompts->controlTokens().textOf(id);
    return control ? chat::ControlTokens::kSign + *control : bytesOf(model, id);
}

std::optional<std::string_view> AnswerRules::fitting(std::string_view bytes) {
    if (m_matcher.accepts(bytes)) return bytes;
    if (m_begun || !m_blanksAreFree) return std::nullopt;
    const std::string_view rest = withoutBlanks(bytes);
    if (m_numBlanks + bytes.size() - rest.size() > kMostBlanks) return std::nullopt;
    return m_matcher.accepts(rest) ? std::optional(rest) : std::nullopt;
}

bool AnswerRules::isWholeWith(std::string_view text) const {
    if (withoutBlanks(text).empty()) return m_matcher.canEnd();
    grammar::Matcher copy = m_matcher;
    return copy.advance(withoutBlanks(text)) && copy.canEnd();
}

bool AnswerRules::isStranger(const OpenedModel& model, TokenId id) const {
    return m_phase == Phase::Begin && withoutBlanks(m_written).empty() &&
           m_marks.sizeOfStranger(markOrBytes(model, id)) > 0;
}

bool AnswerRules::allows(const OpenedModel& model, TokenId id) {
    if (model.tokenizer->isEndOfGeneration(id)) return m_phase != Phase::Thought && isWholeWith(m_written);
    if (m_phase == Phase::Answer) {
        if (namesToken(id)) return true;
        const std::string bytes = answerBytes(model, id, m_isCall);
        if (bytes.empty()) return !m_begun && !m_codes;
        return fitting(bytes).has_value();
    }
    if (isStranger(model, id)) return true;
    const std::string written = m_written + markOrBytes(model, id);
    if (m_phase == Phase::Begin) return mayBeginThought(written) || fitting(written);
    const size_t end = written.find(m_endMark);
    return end == std::string::npos || fitting(std::string_view(written).substr(end + m_endMark.size()));
}

const std::vector<bool>& AnswerRules::answersByState(const OpenedModel& model) {
    if (m_masks.size() >= kMostMasks) m_masks.clear();
    const auto [found, isNew] = m_masks.try_emplace(m_matcher.state());
    std::vector<bool>& mask = found->second;
    if (!isNew) return mask;
    mask = m_trie->allowed(m_matcher, m_matcher.state());
    if (m_codes) {
        const std::vector<bool> named = m_codes->allowed(m_matcher, m_matcher.state());
        for (size_t id = 0; id < mask.size(); ++id) mask[id] = mask[id] || named[id];
    }
    for (size_t id = 0; m_matcher.canEnd() && id < mask.size(); ++id)
        if (model.tokenizer->isEndOfGeneration(static_cast<TokenId>(id))) mask[id] = true;
    return mask;
}

const std::vector<bool>& AnswerRules::behindWritten(const OpenedModel& model) {
    // A thought is begun freely: what is offered behind blanks is an answer.
    const bool isBlank = m_phase == Phase::Begin && withoutBlanks(m_written).empty();
    m_passing.assign(m_trie->numIds(), false);
    for (size_t id = 0; id < m_passing.size(); ++id) {
        const auto token = static_cast<TokenId>(id);
        if (isBlank && !model.tokenizer->isEndOfGeneration(token)) {
            const std::string bytes = markOrBytes(model, token);
            m_passing[id] = !bytes.empty() && fitting(m_written + bytes);
        } else {
            m_passing[id] = allows(model, token);
        }
    }
    return m_passing;
}

Result<const std::vector<bool>*> AnswerRules::allowed(const OpenedModel& model) {
    const bool isAnswer = m_phase == Phase::Answer || (m_phase == Phase::Begin && m_written.empty());
    const std::vector<bool>& mask = isAnswer ? answersByState(model) : behindWritten(model);
    if (m_matcher.exceeded()) return tl::unexpected<Error>(tooWide());
    if (std::ranges::find(mask, true) == mask.end())
        return fail(ErrorCode::Unsupported, "no token of this model can go on as the grammar asks");
    return &mask;
}

Status AnswerRules::take(const OpenedModel& model, TokenId id) {
    m_justBegan = false;
    if (model.tokenizer->isEndOfGeneration(id)) return {};
    if (!allows(model, id)) {
        if (m_matcher.exceeded()) return tl::unexpected<Error>(tooWide());
        return fail(ErrorCode::InvalidArgument, "token {} does not follow the grammar of the answer", id);
    }
    if (m_phase == Phase::Answer && namesToken(id)) {
        m_matcher.advance(grammar::tokenCode(static_cast<uint32_t>(id)));
        m_begun = true;
        if (m_matcher.forgetIfMany()) m_masks.clear();
        return {};
    }
    if (isStranger(model, id)) return {};
    std::string bytes =
        m_phase == Phase::Answer ? answerBytes(model, id, m_isCall) : m_written + markOrBytes(model, id);
    m_written.clear();
    if (m_phase == Phase::Begin && mayBeginThought(bytes)) {
        for (const chat::Markup& markup : m_marks.markups()) {
            if (markup.kind != PartKind::Thought || !withoutBlanks(bytes).starts_with(markup.begin)) continue;
            m_phase = Phase::Thought;
            m_endMark = markup.end;
            m_masks.clear();
            return {};
        }
        m_written = std::move(bytes);
        return {};
    }
    if (m_phase == Phase::Thought) {
        const size_t end = bytes.find(m_endMark);
        if (end == std::string::npos) {
            m_written = bytes.substr(bytes.size() - std::min(bytes.size(), m_endMark.size()));
            return {};
        }
        bytes.erase(0, end + m_endMark.size());
        m_justBegan = true;
        m_masks.clear();
    }
    m_phase = Phase::Answer;
    const std::string_view rest = *fitting(bytes);
    m_numBlanks += bytes.size() - rest.size();
    if (m_check) m_answer += rest;
    m_matcher.advance(rest);
    m_begun = m_begun || !rest.empty();
    if (m_matcher.forgetIfMany()) m_masks.clear();
    return {};
}

}  // namespace ingle::session
