#include "app/desktop/viewmodels/chat_controller.h"

#include <algorithm>
#include <utility>

#include "app/desktop/text.h"

namespace ingle::desktop {
namespace {

using history::Message;
using history::MessageStatus;
using history::RowId;

constexpr qsizetype kTitleLength = 48;
constexpr qint64 kSpeedWindowMs = 300;  // a speed over less time would only flicker
const char* const kOpenConversationKey = "openConversation";

/// The first line with text, cut at a word.
std::string titleFrom(const QString& text) {
    const QString line = text.trimmed().section('\n', 0, 0).simplified();
    if (line.size() <= kTitleLength) return line.toStdString();
    QString cut = line.left(kTitleLength);
    const qsizetype space = cut.lastIndexOf(' ');
    if (space > kTitleLength / 2) cut.truncate(space);
    if (cut.back().isHighSurrogate()) cut.chop(1);
    return (cut + QStringLiteral("…")).toStdString();
}

}  // namespace

ChatController::ChatController(StorageThread& storage, EngineClient& engine, ModelListModel& models,
                               Settings& settings, Notices& notices, QObject* parent)
    : QObject(parent),
      m_storage(storage),
      m_engine(engine),
      m_models(models),
      m_settings(settings),
      m_notices(notices),
      m_writer(storage),
      m_drafts(storage) {
    connect(&m_drafts, &DraftKeeper::replaced, this, &ChatController::draftChanged);

    connect(&engine, &EngineClient::planned, this, &ChatController::onPlanned);
    connect(&engine, &EngineClient::promptProgress, this, [this](double fraction) {
        m_promptFraction = fraction;
        emit progressChanged();
    });
    connect(&engine, &EngineClient::tokens, this, &ChatController::onTokens);
    connect(&engine, &EngineClient::done, this, &ChatController::onDone);
    connect(&engine, &EngineClient::generateFailed, this, &ChatController::onFailed);

    connect(&m_writer, &AnswerWriter::committed, &m_messages, &MessageListModel::appendText);
    connect(&m_writer, &AnswerWriter::finished, this, &ChatController::onFinished);
    connect(&m_writer, &AnswerWriter::stalled, this, &ChatController::onStalled);

    connect(&models, &ModelListModel::loadStarting, this, &ChatController::stop);
    connect(&models, &ModelListModel::stateChanged, this, &ChatController::continueWhenLoaded);
}

void ChatController::start() {
    struct Last {
        std::optional<Turn> shown;
        std::string newDraft;
        history::History::Access access;
    };
    const auto work = [](history::History& history) -> Result<Last> {
        INGLE_TRY_ASSIGN(const auto open, history.setting(kOpenConversationKey));
        INGLE_TRY_ASSIGN(auto newDraft, DraftKeeper::readNew(history));
        Last last{std::nullopt, std::move(newDraft), history.access()};
        const RowId id = toQString(open.value_or("")).toLongLong();
        if (id == 0) return last;
        // It may have been deleted since.
        if (auto shown = readTurn(history, id, 0)) last.shown = std::move(*shown);
        return last;
    };
    m_storage.run(this, work, [this](const Result<Last>& last) {
        if (!last) return onUnreadableHistory(last.error());
        if (last->access == history::History::Access::ReadOnly) {
            m_readOnly = true;
            emit readOnlyChanged();
            m_notices.showBanner(
                tr("The history was written by a newer Inglenook; it can be read but not changed."));
        }
        if (m_generation != Idle || m_conversation != 0) return;  // the person was faster
        const QString typedMeanwhile = m_drafts.take();
        if (last->shown) {
            show(last->shown->conversation, last->shown->branch);
        } else {
            m_drafts.show(0, toQString(last->newDraft));
        }
        m_drafts.append(typedMeanwhile);
    });
}

void ChatController::onUnreadableHistory(const Error& error) {
    if (error.code != ErrorCode::Corrupt) return m_notices.showBanner(toQString(error.message));
    const auto startAnew = [this] {
        m_storage.setHistoryAside(this, [this](const Status& status) {
            if (!status) return m_notices.showBanner(toQString(status.error().message));
            emit listOutdated();
            start();
        });
    };
    m_notices.showBanner(toQString(error.message), tr("Set it aside and start a new history"), startAnew);
}

void ChatController::newConversation() {
    if (m_conversation == 0) return;
    show({}, {});
    const auto work = [](history::History& history) { return DraftKeeper::readNew(history); };
    m_storage.run(this, work, [this](const Result<std::string>& draft) {
        if (draft && !draft->empty() && m_conversation == 0) m_drafts.putBack(0, toQString(*draft));
    });
}

void ChatController::open(qint64 id) {
    if (id == m_conversation) return;
    const auto work = [id](history::History& history) -> Result<Turn> {
        INGLE_TRY_ASSIGN(auto opened, readTurn(history, id, 0));
        if (history.access() == history::History::Access::ReadWrite) {
            INGLE_TRY(history.setSetting(kOpenConversationKey, std::to_string(id)));
        }
        return opened;
    };
    m_storage.run(this, work, [this](const Result<Turn>& opened) {
        if (!opened) return m_notices.showBanner(toQString(opened.error().message));
        show(opened->conversation, opened->branch);
    });
}

void ChatController::show(const history::Conversation& shown, const std::vector<Message>& branch) {
    const bool other = shown.id != m_conversation;
    m_conversation = shown.id;
    m_title = toQString(shown.title);
    m_messages.setBranch(branch);
    emit titleChanged();
    if (!other) return;
    m_drafts.show(shown.id, toQString(shown.draft));
    m_contextUsed = 0;
    m_promptNote.clear();
    m_tokensPerSecond = 0;
    emit conversationChanged();
    emit generationChanged();
    emit progressChanged();
}

bool ChatController::readyToAnswer() {
    if (m_generation != Idle || m_readOnly) return false;
    if (m_models.state() == ModelListModel::Ready || m_models.state() == ModelListModel::Loading) return true;
    emit modelNeeded();
    return false;
}

void ChatController::send(const QString& text) {
    if (text.trimmed().isEmpty() || !readyToAnswer()) return;
    m_drafts.take();
    const auto work = [id = m_conversation, parent = m_messages.lastId(), text = text.toStdString(),
                       title = titleFrom(text), model = m_models.current(),
                       sampler = m_settings.sampler()](history::History& history) mutable -> Result<Turn> {
        if (id == 0) {
            INGLE_TRY_ASSIGN(id, history.createConversation(title, model.id));
            INGLE_TRY(DraftKeeper::store(history, 0, ""));
            INGLE_TRY(history.setSetting(kOpenConversationKey, std::to_string(id)));
        }
        INGLE_TRY_ASSIGN(const RowId message, history.addUserMessage(id, parent, text));
        INGLE_TRY(DraftKeeper::store(history, id, ""));
        return beginTurn(history, id, message, model, sampler);
    };
    startTurn(work, text);
}

void ChatController::regenerate(qint64 message) {
    const Message* old = m_messages.find(message);
    if (old == nullptr || !readyToAnswer()) return;
    const RowId question = old->role == Role::User ? old->id : old->parent;
    const auto work = [id = m_conversation, question, model = m_models.current(),
                       sampler = m_settings.sampler()](history::History& history) -> Result<Turn> {
        return beginTurn(history, id, question, model, sampler);
    };
    startTurn(work, {});
}

void ChatController::edit(qint64 message, const QString& text) {
    const Message* old = m_messages.find(message);
    if (old == nullptr || text.trimmed().isEmpty() || !readyToAnswer()) return;
    const auto work = [id = m_conversation, parent = old->parent, text = text.toStdString(),
                       model = m_models.current(),
                       sampler = m_settings.sampler()](history::History& history) -> Result<Turn> {
        INGLE_TRY_ASSIGN(const RowId edited, history.addUserMessage(id, parent, text));
        return beginTurn(history, id, edited, model, sampler);
    };
    startTurn(work, {});
}

Result<ChatController::Turn> ChatController::readTurn(history::History& history, RowId id, RowId leaf) {
    INGLE_TRY_ASSIGN(auto shown, history.conversation(id));
    INGLE_TRY_ASSIGN(auto branch, history.branch(id, leaf));
    return Turn{std::move(shown), std::move(branch)};
}

Result<ChatController::Turn> ChatController::beginTurn(history::History& history, RowId id, RowId question,
                                                       const library::ModelEntry& model,
                                                       const SamplerParams& sampler) {
    INGLE_TRY_ASSIGN(const RowId answer, history.beginAnswer(id, question, model.id, model.name, sampler));
    return readTurn(history, id, answer);
}

void ChatController::continueAnswer(qint64 message) {
    const Message* answer = m_messages.find(message);
    if (answer == nullptr || m_generation != Idle || m_readOnly) return;
    if (answer->role != Role::Assistant || answer->status == MessageStatus::Complete) return;
    // Token ids mean something only to the model that chose them.
    const bool right = m_models.current().id == answer->modelId;
    if (!right || m_models.state() != ModelListModel::Ready) {
        m_continueAfterLoad = message;
        // Loading it once more would stop the answer that the first loading lets go on.
        if (!right || m_models.state() != ModelListModel::Loading) m_models.use(toQString(answer->modelId));
        return;
    }
    const auto work = [id = m_conversation, message](history::History& history) -> Result<Turn> {
        INGLE_TRY(history.resumeAnswer(message));
        return readTurn(history, id, message);
    };
    startTurn(work, {});
}

void ChatController::continueWhenLoaded() {
    if (m_continueAfterLoad == 0 || m_models.state() == ModelListModel::Loading) return;
    const RowId message = std::exchange(m_continueAfterLoad, 0);
    const Message* answer = m_messages.find(message);
    const bool right = answer != nullptr && answer->modelId == m_models.current().id;
    if (right && m_models.state() == ModelListModel::Ready) continueAnswer(message);
}

void ChatController::showSibling(qint64 message, int step) {
    if (m_generation != Idle) return;
    const auto work = [id = m_conversation, message, step](history::History& history) -> Result<Turn> {
        INGLE_TRY_ASSIGN(const auto siblings, history.siblings(message));
        const auto here = std::find(siblings.begin(), siblings.end(), message);
        const auto target = here - siblings.begin() + step;
        if (here == siblings.end() || target < 0 || target >= std::ssize(siblings)) {
            return fail(ErrorCode::InvalidArgument, "There is no other version of this message.");
        }
        INGLE_TRY_ASSIGN(const RowId leaf, history.newestLeafBelow(siblings[static_cast<size_t>(target)]));
        INGLE_TRY(history.setActiveLeaf(id, leaf));
        return readTurn(history, id, leaf);
    };
    m_storage.run(this, work, [this](const Result<Turn>& turn) {
        if (!turn) return m_notices.showBanner(toQString(turn.error().message));
        if (turn->conversation.id == m_conversation) show(turn->conversation, turn->branch);
    });
}

void ChatController::startTurn(std::function<Result<Turn>(history::History&)> work, const QString& sentText) {
    m_startingIn = m_conversation;
    setGeneration(Starting);
    m_storage.run(this, std::move(work), [this, asked = m_conversation, sentText](const Result<Turn>& turn) {
        if (!turn) {
            setGeneration(Idle);
            if (!sentText.isEmpty()) m_drafts.putBack(asked, sentText);
            return m_notices.showBanner(toQString(turn.error().message));
        }
        if (m_conversation == asked) {
            // A new conversation has its number only now; what is being written belongs to it.
            const QString typedMeanwhile = asked == 0 ? m_drafts.take() : QString();
            show(turn->conversation, turn->branch);
            m_drafts.append(typedMeanwhile);
        }
        if (!sentText.isEmpty()) emit sent();
        emit listOutdated();
        generate(*turn);
    });
}

void ChatController::generate(const Turn& turn) {
    const Message& answer = turn.branch.back();
    m_writing.emplace();
    m_writing->conversation = turn.conversation.id;
    m_writing->text = AnswerText(answer.text);
    m_writer.begin(answer.id);
    if (m_generation == Stopping) {
        // Stopped before there was anything to cancel.
        m_writing->engineDone = true;
        return abandonAnswer();
    }
    GenerateRequest request;
    if (const std::string prompt = m_settings.systemPrompt(); !prompt.empty()) {
        request.messages.push_back({Role::System, prompt});
        request.pinned.push_back(0);
        m_writing->promptIds.push_back(0);
    }
    for (auto message = turn.branch.begin(); message != turn.branch.end() - 1; ++message) {
        // An answer that failed before its first word says nothing, and no model was trained on such turns.
        if (message->role == Role::Assistant && message->text.empty()) continue;
        request.messages.push_back({message->role, message->text});
        m_writing->promptIds.push_back(message->id);
    }
    request.conversation = std::to_string(turn.conversation.id);
    request.sampler = answer.sampler;
    request.resumeIds = answer.tokenIds;
    m_promptFraction = 0;
    m_tokensPerSecond = 0;
    setGeneration(Reading);
    m_engine.generate(request);
}

void ChatController::stop() {
    if (m_generation == Idle || m_generation == Stopping) return;
    setGeneration(Stopping);
    if (m_writing) m_engine.cancel();  // else generate() finds it
}

void ChatController::abandonAnswer() {
    history::AnswerEnd ending;
    ending.status = MessageStatus::Stopped;
    m_writer.end(std::move(ending));
}

void ChatController::onPlanned(const PromptPlan& plan) {
    if (!m_writing) return;
    m_writing->promptTokens = plan.promptTokens;
    m_contextSize = static_cast<int>(plan.contextTokens);
    m_contextUsed = static_cast<int>(plan.promptTokens);
    m_promptNote = toQString(plan.note);
    emit progressChanged();
    if (writingHere()) {
        RowId firstKept = 0;
        if (!plan.dropped.empty()) {
            for (const uint32_t index : plan.kept) {
                if (index < m_writing->promptIds.size()) firstKept = m_writing->promptIds[index];
                if (firstKept != 0) break;
            }
        }
        m_messages.setFirstKept(firstKept);
    }
    const auto work = [message = m_writer.message(),
                       hash = plan.promptHash](history::History& history) -> Status {
        return history.setPromptHash(message, hash);
    };
    m_storage.run(this, work, [](const Status&) {});  // a cache key; the answer does not depend on it
}

void ChatController::onTokens(const TokenChunk& chunk) {
    if (!m_writing) return;
    if (m_writing->newTokens == 0) m_writing->sinceFirstToken.start();
    const qint64 elapsedMs = m_writing->sinceFirstToken.elapsed();
    if (elapsedMs > kSpeedWindowMs) {
        m_tokensPerSecond = m_writing->newTokens * 1000.0 / static_cast<double>(elapsedMs);
    }
    m_writing->newTokens += static_cast<uint32_t>(chunk.ids.size());
    m_contextUsed = static_cast<int>(m_writing->promptTokens + m_writing->newTokens);
    emit progressChanged();
    if (m_generation == Reading) setGeneration(Streaming);
    m_writer.append({chunk.ids, m_writing->text.add(chunk.kind, chunk.text)});
}

void ChatController::onDone(const GenerateResult& result) {
    if (!m_writing) return;
    history::AnswerEnd ending;
    ending.stats = result.stats;
    ending.text = m_writing->text.add(result.tailKind, result.tail);
    ending.withheld = result.withheld;
    switch (result.reason) {
        case StopReason::EndOfText:
            ending.text += m_writing->text.finish();
            break;
        case StopReason::MaxTokens:
            ending.status = MessageStatus::Stopped;
            ending.error = tr("The answer reached its length limit.").toStdString();
            break;
        case StopReason::ContextFull:
            ending.status = MessageStatus::Stopped;
            ending.error = tr("The model's context is full.").toStdString();
            break;
        case StopReason::Cancelled:
            ending.status = MessageStatus::Stopped;
            break;
    }
    if (result.stats.decodeMs > 0)
        m_tokensPerSecond = result.stats.newTokens * 1000.0 / result.stats.decodeMs;
    onEngineDone(std::move(ending));
}

void ChatController::onFailed(const Error& error) {
    if (!m_writing) return;
    history::AnswerEnd ending;
    ending.status = MessageStatus::Failed;
    ending.error = error.message;
    onEngineDone(std::move(ending));
}

void ChatController::onEngineDone(history::AnswerEnd ending) {
    m_writing->engineDone = true;
    if (!m_writer.active()) return endTurn();
    m_writer.end(std::move(ending));
}

void ChatController::onStalled(const QString& sentence) {
    m_stalled = !sentence.isEmpty();
    m_notices.showBanner(m_stalled ? tr("The answer waits: %1").arg(sentence) : QString());
    emit generationChanged();
}

void ChatController::onFinished(RowId message, const history::AnswerEnd& ending) {
    m_messages.setStatus(message, ending.status, ending.error, ending.stats);
    if (m_writing->engineDone) return endTurn();
    // Its last events must not be taken for those of the next answer.
    stop();
}

void ChatController::endTurn() {
    m_writing.reset();
    setGeneration(Idle);
    emit progressChanged();
    emit listOutdated();
}

QString ChatController::messageText(qint64 message) const {
    const Message* found = m_messages.find(message);
    return found != nullptr ? toQString(found->text) : QString();
}

void ChatController::conversationRemoved(RowId conversation) {
    const bool writing = m_writing && m_writing->conversation == conversation;
    if (writing || (m_generation == Starting && m_startingIn == conversation)) stop();
    // The conversation may be gone for good before the engine has stopped.
    if (writing) abandonAnswer();
    if (conversation == m_conversation) newConversation();
}

void ChatController::conversationRenamed(RowId conversation, const QString& title) {
    if (conversation != m_conversation) return;
    m_title = title;
    emit titleChanged();
}

void ChatController::setGeneration(Generation generation) {
    m_generation = generation;
    emit generationChanged();
}

}  // namespace ingle::desktop
