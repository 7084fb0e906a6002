#include "app/history/turns.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "app/history/chats/answers.h"
#include "app/history/chats/conversations.h"
#include "app/history/chats/folders.h"
#include "app/history/documents/documents.h"
#include "app/history/store/settings.h"

namespace ingle::history {
namespace {

const char* const kLastShownKey = "openConversation";
const char* const kNewDraftKey = "newConversationDraft";

}  // namespace

Result<RowId> lastShown(HistoryReader& history) {
    INGLE_TRY_ASSIGN(const auto stored, setting(history, kLastShownKey));
    RowId id = 0;
    if (stored) std::from_chars(stored->data(), stored->data() + stored->size(), id);
    return id;
}

Status setLastShown(History& history, RowId conversation) {
    return setSetting(history, kLastShownKey, std::to_string(conversation));
}

Result<std::string> newDraft(HistoryReader& history) {
    INGLE_TRY_ASSIGN(auto stored, setting(history, kNewDraftKey));
    return std::move(stored).value_or("");
}

Status storeDraft(History& history, RowId conversation, const std::string& text) {
    return conversation != 0 ? setDraft(history, conversation, text)
                             : setSetting(history, kNewDraftKey, text);
}

Result<Profile> profileOf(HistoryReader& history, RowId conversation) {
    INGLE_TRY_ASSIGN(auto own, conversationProfile(history, conversation));
    if (conversation == 0) return own;
    INGLE_TRY_ASSIGN(const Conversation row, history::conversation(history, conversation));
    INGLE_TRY_ASSIGN(auto folder, folderProfile(history, row.folder));
    return layered(std::move(folder), own);
}

Result<Turn> readTurn(HistoryReader& history, RowId conversation, RowId leaf, int limit) {
    INGLE_TRY_ASSIGN(auto shown, history::conversation(history, conversation));
    INGLE_TRY_ASSIGN(auto branch, history::branch(history, conversation, leaf, limit));
    INGLE_TRY_ASSIGN(auto profile, profileOf(history, conversation));
    const RowId last = branch.empty() ? 0 : branch.back().id;
    return Turn{std::move(shown), std::move(profile), std::move(branch), last};
}

Result<Turn> readAnswer(HistoryReader& history, RowId conversation, RowId answer) {
    INGLE_TRY_ASSIGN(auto turn, readTurn(history, conversation, answer));
    if (turn.branch.empty())
        return fail(ErrorCode::InvalidArgument, "The history has no message {}.", answer);
    const Message& last = turn.branch.back();
    const uint32_t context = last.receipt.terms ? last.receipt.terms->contextTokens : 0;
    INGLE_TRY_ASSIGN(turn.documents, documentParts(history, conversation, last.modelId, context));
    return turn;
}

Result<Turn> readNext(HistoryReader& history, RowId conversation, RowId leaf,
                      const std::vector<Part>& question, const std::string& modelId) {
    Turn turn;
    if (conversation != 0 && leaf != 0) {
        INGLE_TRY_ASSIGN(turn, readTurn(history, conversation, leaf));
    }
    INGLE_TRY_ASSIGN(const Profile profile, profileOf(history, conversation));
    const uint32_t context = profile.contextTokens.value_or(0);
    INGLE_TRY_ASSIGN(turn.documents, documentParts(history, conversation, modelId, context));
    INGLE_TRY_ASSIGN(const auto documents, documentsOf(history, conversation));
    Message asked;
    INGLE_TRY_ASSIGN(asked.parts,
                     passageParts(history, documents, modelId, textOf(question, PartKind::Text), context));
    asked.parts.insert(asked.parts.end(), question.begin(), question.end());
    Message answer;
    answer.role = Role::Assistant;
    turn.branch.push_back(std::move(asked));
    turn.branch.push_back(std::move(answer));
    return turn;
}

Result<Turn> readAround(HistoryReader& history, RowId conversation, RowId message, int limit) {
    INGLE_TRY_ASSIGN(const RowId leaf, newestLeafBelow(history, message));
    INGLE_TRY_ASSIGN(const RowId last, newestLeafBelow(history, message, limit / 2));
    INGLE_TRY_ASSIGN(auto turn, readTurn(history, conversation, last, limit));
    turn.leaf = leaf;
    return turn;
}

Result<RowId> siblingOf(HistoryReader& history, RowId message, int step) {
    INGLE_TRY_ASSIGN(const auto siblings, history::siblings(history, message));
    const auto here = std::find(siblings.begin(), siblings.end(), message);
    const auto target = here - siblings.begin() + step;
    if (here == siblings.end() || target < 0 || target >= std::ssize(siblings)) {
        return fail(ErrorCode::InvalidArgument, "There is no other version of this message.");
    }
    return siblings[static_cast<size_t>(target)];
}

Result<Turn> ask(History& history, Question question, const Answerer& answerer) {
    Turn turn;
    INGLE_TRY(history.atOnce([&]() -> Status {
        RowId id = question.conversation;
        if (id == 0) {
            INGLE_TRY_ASSIGN(id, createConversation(history, question.title, answerer.modelId));
            INGLE_TRY(storeDraft(history, 0, ""));
            INGLE_TRY(setLastShown(history, id));
            INGLE_TRY_ASSIGN(const auto chosen, documentsOf(history, 0));
            INGLE_TRY(setDocumentsOf(history, id, chosen));
            INGLE_TRY(setDocumentsOf(history, 0, {}));
            INGLE_TRY_ASSIGN(const Profile profile, conversationProfile(history, 0));
            INGLE_TRY(setConversationProfile(history, id, profile));
            INGLE_TRY(setConversationProfile(history, 0, {}));
        }
        INGLE_TRY(noteDocumentsUsed(history, id));
        INGLE_TRY_ASSIGN(const auto documents, documentsOf(history, id));
        const std::string words = textOf(question.parts, PartKind::Text);
        INGLE_TRY_ASSIGN(const Profile own, profileOf(history, id));
        const uint32_t context = termsOf(layered(answerer.profile, own)).contextTokens;
        INGLE_TRY_ASSIGN(auto passages, passageParts(history, documents, answerer.modelId, words, context));
        INGLE_TRY_ASSIGN(const bool hasMeaning, haveVectors(history, documents, answerer.modelId));
        question.parts.insert(question.parts.begin(), passages.begin(), passages.end());
        INGLE_TRY_ASSIGN(const RowId message, addUserMessage(history, id, question.parent, question.parts));
        INGLE_TRY(storeDraft(history, id, ""));
        INGLE_TRY_ASSIGN(turn, answerAgain(history, id, message, answerer));
        if (hasMeaning) turn.sought = words;
        return {};
    }));
    return turn;
}

Result<Turn> chooseAgain(History& history, RowId answer, const TextVector& meaning) {
    Turn turn;
    INGLE_TRY(history.atOnce([&]() -> Status {
        INGLE_TRY_ASSIGN(const Message written, history::message(history, answer));
        INGLE_TRY_ASSIGN(const Message question, history::message(history, written.parent));
        INGLE_TRY_ASSIGN(const auto documents, documentsOf(history, written.conversation));
        const uint32_t context = written.receipt.terms ? written.receipt.terms->contextTokens : 0;
        INGLE_TRY_ASSIGN(auto parts, passageParts(history, documents, written.modelId,
                                                  textOf(question.parts, PartKind::Text), context, meaning));
        std::ranges::copy_if(question.parts, std::back_inserter(parts),
                             [](const Part& part) { return part.kind != PartKind::Source; });
        INGLE_TRY(replaceParts(history, question.id, parts));
        INGLE_TRY_ASSIGN(turn, readAnswer(history, written.conversation, answer));
        return {};
    }));
    return turn;
}

Result<Turn> answerAgain(History& history, RowId conversation, RowId question, const Answerer& answerer) {
    INGLE_TRY_ASSIGN(const Profile own, profileOf(history, conversation));
    const Profile profile = layered(answerer.profile, own);
    INGLE_TRY_ASSIGN(const RowId answer,
                     beginAnswer(history, conversation, question, answerer.modelId, answerer.modelName,
                                 samplerOf(profile, answerer.sampler), termsOf(profile)));
    return readAnswer(history, conversation, answer);
}

Result<Turn> resume(History& history, RowId conversation, RowId answer) {
    INGLE_TRY(resumeAnswer(history, answer));
    return readAnswer(history, conversation, answer);
}

Result<Turn> branchAnswer(History& history, RowId answer, const AnswerBeginning& beginning) {
    Turn turn;
    INGLE_TRY(history.atOnce([&]() -> Status {
        INGLE_TRY_ASSIGN(const Message old, history::message(history, answer));
        INGLE_TRY_ASSIGN(const RowId version, beginAnswer(history, old.conversation, old.parent, old.modelId,
                                                          old.modelName, old.sampler, old.receipt.terms));
        INGLE_TRY(appendAnswer(history, version, beginning.pieces, beginning.ids, beginning.withheld));
        INGLE_TRY_ASSIGN(turn, readAnswer(history, old.conversation, version));
        return {};
    }));
    return turn;
}

Result<bool> holdsDocuments(HistoryReader& history, RowId conversation, RowId leaf) {
    INGLE_TRY_ASSIGN(const auto documents, documentsOf(history, conversation));
    if (!documents.empty()) return true;
    if (conversation == 0 || leaf == 0) return false;
    INGLE_TRY_ASSIGN(const Turn turn, readTurn(history, conversation, leaf));
    const auto isPassage = [](const Part& part) { return part.kind == PartKind::Source; };
    return std::ranges::any_of(
        turn.branch, [&](const Message& message) { return std::ranges::any_of(message.parts, isPassage); });
}

Prompt promptOf(const Turn& turn, const AnswerTerms& usual) {
    const Message& answer = turn.branch.back();
    const AnswerTerms& terms = answer.receipt.terms ? *answer.receipt.terms : usual;
    Prompt prompt;
    GenerateRequest& request = prompt.request;
    // Documents first: so every conversation about them begins alike, and finds them read.
    ChatMessage before{Role::System, turn.documents};
    if (!terms.systemPrompt.empty()) before.parts.push_back({PartKind::Text, terms.systemPrompt, {}});
    if (!before.parts.empty()) {
        request.messages.push_back(std::move(before));
        request.pinned.push_back(0);
        prompt.messages.push_back(0);
    }
    for (auto message = turn.branch.begin(); message != turn.branch.end() - 1; ++message) {
        // An answer that failed before its first word says nothing, and no model was trained on such turns.
        if (message->role == Role::Assistant && message->parts.empty()) continue;
        if (message->pinned) request.pinned.push_back(static_cast<uint32_t>(request.messages.size()));
        request.messages.push_back({message->role, message->parts});
        prompt.messages.push_back(message->id);
    }
    // Of a private chat the engine keeps nothing.
    if (!isPrivate(turn.conversation.id)) request.conversation = std::to_string(turn.conversation.id);
    request.sampler = answer.sampler;
    request.maxTokens = terms.maxTokens;
    // One that goes on may use more than it began with: it may have ended because that was full.
    request.contextTokens = answer.tokenIds.empty() ? terms.contextTokens : usual.contextTokens;
    request.whenFull = terms.whenFull;
    request.promptForm = terms.promptForm;
    if (terms.form.kind == AnswerForm::Kind::JsonSchema) request.jsonSchema = terms.form.text;
    if (terms.form.kind == AnswerForm::Kind::Grammar) request.grammar = terms.form.text;
    request.resumeIds = answer.tokenIds;
    // Another program wrote it, or a model that tells no ids.
    if (answer.tokenIds.empty()) request.resumeText = textOf(answer.parts, PartKind::Text);
    return prompt;
}

ScoreRequest replayOf(const Turn& turn, const AnswerTerms& usual) {
    ScoreRequest replay;
    replay.request = promptOf(turn, usual).request;
    replay.ids = std::exchange(replay.request.resumeIds, {});
    replay.request.resumeText.clear();
    const auto& terms = turn.branch.back().receipt.terms;
    replay.request.contextTokens = (terms ? *terms : usual).contextTokens;
    return replay;
}

RowId firstKept(const Prompt& prompt, const PromptPlan& plan) {
    if (plan.dropped.empty()) return 0;
    for (const uint32_t index : plan.kept) {
        if (index < prompt.messages.size() && prompt.messages[index] != 0) return prompt.messages[index];
    }
    return 0;
}

}  // namespace ingle::history
