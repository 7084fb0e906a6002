#include "app/desktop/chat/prompt_view.h"

#include <QLocale>
#include <QRectF>
#include <QVariantMap>

#include <algorithm>
#include <utility>

#include "app/desktop/services/error_sentences.h"
#include "app/desktop/services/while_alive.h"

namespace ingle::desktop {
namespace {

using history::RowId;

constexpr qsizetype kExcerptLength = 120;
constexpr qsizetype kPieceLength = 2000;

QString excerptOf(const std::string& text) {
    return toQString(text).left(4 * kExcerptLength).simplified().left(kExcerptLength);
}

QString nameOf(Role role, const Part& part) {
    if (part.kind == PartKind::Image) return PromptView::tr("Picture");
    if (part.kind == PartKind::Attachment || part.kind == PartKind::Source) return toQString(part.data);
    if (role == Role::System) return PromptView::tr("Instructions");
    return role == Role::User ? PromptView::tr("You") : PromptView::tr("Answer");
}

}  // namespace

PromptView::PromptView(StorageThread& storage, EngineClient& engine, ChatController& chat, ModelInUse& models,
                       Notices& notices, QObject* parent)
    : QObject(parent),
      m_storage(storage),
      m_engine(engine),
      m_courier(storage, engine),
      m_chat(chat),
      m_models(models),
      m_notices(notices) {}

void PromptView::open() {
    look(/*opens=*/true);
}

void PromptView::look(bool opens) {
    m_engine.cancel(std::exchange(m_asked, 0));
    const auto next = [conversation = static_cast<RowId>(m_chat.conversationId()), leaf = m_chat.leaf(),
                       draft = m_chat.draftParts(),
                       model = m_models.current().id](history::HistoryReader& history) {
        return history::readNext(history, conversation, leaf, draft, model);
    };
    m_storage.readBehindWrites(
        this, next, [this, opens, number = ++m_numLooks](const Result<history::Turn>& turn) {
            if (number != m_numLooks) return;
            if (!turn) return m_notices.showError(Notices::Topic::History, turn.error());
            history::AnswerTerms terms = m_chat.terms();
            terms.whenFull = WhenFull::DropOldest;  // what would be dropped is to be seen
            terms.form = {};
            auto prompt = history::promptOf(*turn, terms);
            m_courier.ask<PromptPreview>(
                this,
                [this, number, request = prompt.request](const auto& done) {
                    if (number == m_numLooks) m_asked = m_engine.preview(request, done);
                },
                [this, number, opens, prompt](const Result<PromptPreview>& preview) {
                    if (number != m_numLooks) return;
                    m_asked = 0;
                    show(prompt, preview);
                    if (opens) emit opened();
                });
        });
}

void PromptView::lookAtPictures() {
    m_pictures.clear();
    for (const ChatMessage& message : m_prompt.request.messages) {
        for (const Part& part : message.parts) {
            if (part.kind != PartKind::Image || !m_pictures.try_emplace(part.data).second) continue;
            const auto seen = [this, number = m_numLooks](const Result<protocol::PictureTaken>& taken) {
                if (number != m_numLooks || !taken) return;
                m_pictures[taken->facts.hash] = taken->facts;
                emit changed();
            };
            m_engine.ask(protocol::Picture{part.data, {}},
                         std::function<void(const Result<protocol::PictureTaken>&)>(whileAlive(this, seen)));
        }
    }
}

void PromptView::show(history::Prompt prompt, const Result<PromptPreview>& preview) {
    m_prompt = std::move(prompt);
    m_preview = preview ? *preview : PromptPreview();
    lookAtPictures();
    if (!preview) {
        m_sentence = errorSentence(preview.error());
        return emit changed();
    }
    const QLocale locale;
    const PromptPlan& plan = m_preview.plan;
    uint32_t parts = 0;
    for (const uint32_t index : plan.kept)
        for (const uint32_t tokens : m_preview.partTokens[index]) parts += tokens;
    const QString all = locale.toString(plan.promptTokens);
    m_sentence = m_preview.room == 0 ? tr("%1 tokens, and no limit.").arg(all)
                                     : tr("%1 of %2 tokens; the rest of the context is for the answer.")
                                           .arg(all, locale.toString(m_preview.room));
    if (plan.promptTokens < parts)
        m_sentence += ' ' + tr("This model's chat template skips some messages.");
    else
        m_sentence += ' ' + tr("%1 are formatting.").arg(locale.toString(plan.promptTokens - parts));
    emit changed();
}

QVariantList PromptView::rows() const {
    QVariantList rows;
    const auto& messages = m_prompt.request.messages;
    const QLocale locale;
    // Of what could not be looked at there are no figures.
    for (size_t index = 0; index < messages.size() && index < m_preview.partTokens.size(); ++index) {
        const bool dropped = std::ranges::find(m_preview.plan.dropped, index) != m_preview.plan.dropped.end();
        const bool pinned =
            std::ranges::find(m_prompt.request.pinned, index) != m_prompt.request.pinned.end();
        double message = static_cast<double>(m_prompt.messages[index]);
        for (size_t part = 0; part < messages[index].parts.size(); ++part) {
            const uint32_t tokens = m_preview.partTokens[index][part];
            if (tokens == 0) continue;  // what it thought is not told again
            const QString count = tr("%n tokens", nullptr, static_cast<int>(tokens));
            const Part& said = messages[index].parts[part];
            QVariantMap row{{"name", nameOf(messages[index].role, said)},
                            {"excerpt", excerptOf(said.text)},
                            {"figures", dropped ? tr("%1, no longer seen").arg(count) : count},
                            {"dropped", dropped},
                            {"pinned", pinned && message != 0},
                            {"message", message},
                            {"picture", QString()}};
            if (said.kind == PartKind::Image) addPicture(row, said.data);
            rows << row;
            message = 0;  // once for all of its parts
        }
    }
    return rows;
}

void PromptView::addPicture(QVariantMap& row, const std::string& hash) const {
    row["picture"] = toQString(hash);
    QVariantList tiles;
    const auto found = m_pictures.find(hash);
    if (found != m_pictures.end() && found->second.width > 0 && found->second.height > 0) {
        const PictureFacts& facts = found->second;
        const double width = facts.width, height = facts.height;
        for (const SeenTile& tile : facts.tiles)
            tiles << QRectF(tile.left / width, tile.top / height, tile.width / width, tile.height / height);
        row["figures"] = tr("%1 × %2 pixels, %3", "a picture and its tokens")
                             .arg(QLocale().toString(facts.width), QLocale().toString(facts.height),
                                  row["figures"].toString());
    }
    row["tiles"] = tiles;
}

QStringList PromptView::pieces() const {
    const QString all = text();
    QStringList pieces;
    for (qsizetype begin = 0; begin < all.size();) {
        qsizetype end = begin + kPieceLength;
        if (end < all.size()) {
            // Behind the last line that is whole, or at least between characters.
            const qsizetype line = all.lastIndexOf('\n', end - 1);
            if (line > begin) end = line + 1;
            if (all[end].isLowSurrogate()) ++end;
        }
        pieces << all.mid(begin, end - begin);
        begin = end;
    }
    return pieces;
}

double PromptView::share() const {
    return m_preview.room == 0
               ? 0
               : std::min(1.0, static_cast<double>(m_preview.plan.promptTokens) / m_preview.room);
}

void PromptView::setPinned(double message, bool pinned) {
    m_chat.setPinned(static_cast<qint64>(message), pinned);
    look(/*opens=*/false);  // behind that
}

}  // namespace ingle::desktop
