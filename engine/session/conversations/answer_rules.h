/// Keeps an answer to a grammar or JSON Schema, token by token.
#pragma once

#include <optional>
#include <unordered_map>

#include "engine/grammar/matcher.h"
#include "engine/grammar/token_trie.h"
#include "engine/session/conversations/prompt_planner.h"
#include "engine/session/loading/model.h"

namespace ingle::grammar {
class SchemaCheck;
}

namespace ingle::session {

/// What a model thinks first is free: from a thought's mark, in the prompt's end or as the first thing that
/// is written, to what ends it. A little white space behind it is free too. Only then the answer begins. A
/// control token that writes nothing may come before the answer's first byte, as some models decide there
/// what to write, but is never offered instead of another one. One thread.
class AnswerRules {
  public:
    /// Nothing when the request asks for no rules. Any thread. Errors: InvalidArgument (GrammarRefused);
    /// Cancelled, as StopScope says.
    static Result<std::optional<AnswerRules>> create(const OpenedModel& model, const GenerateRequest& request,
                                                     const PlannedPrompt& prompt);

    /// True when the answer may go on with `id`.
    bool allows(const OpenedModel& model, TokenId id);
    /// [vocab]: such tokens, without those that would only put the answer off. Errors: Unsupported when the
    /// vocabulary has none; GrammarTooWide.
    Result<const std::vector<bool>*> allowed(const OpenedModel& model);
    /// What `sample` chooses, a function of a mask as allowed() gives it; null: of all tokens. Mostly that of
    /// all fits, and looking at one token costs less than at each of them. Errors: as allowed().
    template <typename Sample>
    Result<TokenId> choose(const OpenedModel& model, Sample&& sample) {
        const TokenId id = sample(nullptr);
        if (allows(model, id)) return id;
        INGLE_TRY_ASSIGN(const std::vector<bool>* mask, allowed(model));
        return sample(mask);
    }
    /// Errors: InvalidArgument when it may not; GrammarTooWide. An end token changes nothing.
    Status take(const OpenedModel& model, TokenId id);
    /// True when the answer is whole and nothing may follow.
    bool mustEnd() const { return m_phase == Phase::Answer && m_matcher.mustEnd(); }
    /// What the whole answer does not keep of its schema, which cannot be kept token by token.
    std::optional<std::string> violation() const;
    /// True behind the thought, where marks are text; a call in the model's own form has some, and what names
    /// tokens too.
    bool inAnswer() const { return m_phase == Phase::Answer && !m_isCall && !m_codes; }
    /// True when the last token ended the thought.
    bool justBegan() const { return m_justBegan; }

  private:
    enum class Phase { Begin, Thought, Answer };

    AnswerRules(grammar::Grammar rules, std::shared_ptr<const grammar::TokenTrie> trie, bool isCall)
        : m_matcher(std::move(rules)), m_trie(std::move(trie)), m_isCall(isCall) {}
    static std::shared_ptr<const grammar::TokenTrie> trieOf(const OpenedModel& model, bool isCall);
    static std::shared_ptr<const grammar::TokenTrie> codesOf(const OpenedModel& model);
    /// Whether the rules go on with the token itself, whatever it writes.
    bool namesToken(TokenId id);
    /// What a token writes; nothing for one that may not stand in an answer.
    static std::string bytesOf(const OpenedModel& model, TokenId id);
    /// In a call, as outside of an answer, the tokens of marks write their text.
    static std::string answerBytes(const OpenedModel& model, TokenId id, bool isCall);
    static std::string markOrBytes(const OpenedModel& model, TokenId id);
    /// A control token that writes nothing, before it is known what begins.
    bool isStranger(const OpenedModel& model, TokenId id) const;
    /// What of `bytes` the rules have to follow; nothing when they refuse it.
    std::optional<std::string_view> fitting(std::string_view bytes);
    /// True when the answer is whole once it has `text`, which is not part of a thought after all.
    bool isWholeWith(std::string_view text) const;
    /// True when `text`, the first thing written, is a thought's mark or may become one.
    bool mayBeginThought(std::string_view text) const;
    /// What may stand in an answer next, by the state of the rules.
    const std::vector<bool>& answersByState(const OpenedModel& model);
    /// The same behind m_written, which is not an answer yet.
    const std::vector<bool>& behindWritten(const OpenedModel& model);
    Error tooWide() const;

    grammar::Matcher m_matcher;
    std::shared_ptr<const grammar::TokenTrie> m_trie;
    std::shared_ptr<const grammar::TokenTrie> m_codes;  ///< null: the rules name no tokens
    bool m_isCall;                                      ///< the answer is a call in the model's own form
    Phase m_phase = Phase::Answer;
    chat::CallReading m_marks;
    std::string m_written;       ///< before the answer: what may be part of a mark
    std::string_view m_endMark;  ///< of the thought
    bool m_justBegan = false;
    bool m_begun = false;                                 ///< the answer has a byte
    bool m_blanksAreFree = false;                         ///< until then
    size_t m_numBlanks = 0;                               ///< of those
    std::shared_ptr<const grammar::SchemaCheck> m_check;  ///< null: the rules keep all
    std::string m_answer;                                 ///< for it
    std::unordered_map<grammar::Matcher::State, std::vector<bool>> m_masks;
    std::vector<bool> m_passing;  ///< behindWritten()
};

}  // namespace ingle::session
