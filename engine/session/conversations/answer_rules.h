/// Keeps an answer to a grammar or JSON Schema, token by token.
#pragma once

#include <optional>
#include <unordered_map>

#include "engine/grammar/matcher.h"
#include "engine/grammar/token_trie.h"
#include "engine/session/loading/model.h"

namespace ingle::session {

/// What a model thinks first is free: from a thought's mark, in the prompt's end or as the first thing that
/// is written, to what ends it. White space behind it is free too. Only then the answer begins. One thread.
class AnswerRules {
  public:
    /// Nothing when the request asks for no rules. Errors: InvalidArgument (GrammarRefused).
    static Result<std::optional<AnswerRules>> create(const OpenedModel& model, const GenerateRequest& request,
                                                     const std::string& promptEnd);

    /// True when the answer may go on with `id`.
    bool allows(const OpenedModel& model, TokenId id);
    /// [vocab]: every such token. Errors: Unsupported when the vocabulary has none; GrammarTooWide.
    Result<const std::vector<bool>*> allowed(const OpenedModel& model);
    /// Errors: InvalidArgument when it may not; GrammarTooWide. An end token changes nothing.
    Status take(const OpenedModel& model, TokenId id);
    /// True when the answer is whole and nothing may follow.
    bool mustEnd() const { return m_phase == Phase::Answer && m_matcher.mustEnd(); }
    /// True behind the thought.
    bool inAnswer() const { return m_phase == Phase::Answer; }
    /// True when the last token ended the thought.
    bool justBegan() const { return m_justBegan; }

  private:
    enum class Phase { Begin, Thought, Answer };

    explicit AnswerRules(grammar::Grammar rules) : m_matcher(std::move(rules)) {}
    /// What a token writes; nothing for one that may not stand in an answer.
    static std::string bytesOf(const OpenedModel& model, TokenId id);
    /// True when `text`, the first thing written, is a thought's mark or may become one.
    static bool mayBeginThought(std::string_view text);
    Error tooWide() const;

    grammar::Matcher m_matcher;
    Phase m_phase = Phase::Answer;
    std::string m_written;       ///< before the answer: what may be part of a mark
    std::string_view m_endMark;  ///< of the thought
    bool m_justBegan = false;
    std::unordered_map<grammar::Matcher::State, std::vector<bool>> m_masks;
    std::vector<bool> m_notEnds;  ///< while thinking
};

}  // namespace ingle::session
