#include "app/desktop/chat/long_answers.h"

#include <QGuiApplication>

#include <utility>

namespace ingle::desktop {

LongAnswers::LongAnswers(RunningAnswers& answers, Settings& settings, TitleOf titleOf, DesktopPortal& portal,
                         QObject* parent)
    : QObject(parent),
      m_answers(answers),
      m_settings(settings),
      m_titleOf(std::move(titleOf)),
      m_portal(portal),
      m_isSeen([] { return QGuiApplication::applicationState() == Qt::ApplicationActive; }) {
    connect(&answers, &RunningAnswers::stateChanged, this, &LongAnswers::onState);
    connect(&answers, &RunningAnswers::ended, this,
            [this](history::RowId conversation, history::RowId, const history::AnswerEnd& ending) {
                onEnded(conversation, ending);
            });
    connect(qGuiApp, &QGuiApplication::applicationStateChanged, this, [this](Qt::ApplicationState state) {
        // Whoever is here sees it.
        if (state == Qt::ApplicationActive) m_portal.takeBackNotice();
    });
}

void LongAnswers::onState(history::RowId conversation) {
    if (m_answers.of(conversation) == nullptr) {
        m_begun.erase(conversation);
        return;
    }
    const auto [entry, isNew] = m_begun.try_emplace(conversation);
    if (isNew) entry->second.start();
}

void LongAnswers::onEnded(history::RowId conversation, const history::AnswerEnd& ending) {
    const auto begun = m_begun.find(conversation);
    if (begun == m_begun.end() || !begun->second.hasExpired(m_long.count())) return;
    if (!m_settings.notifies() || m_isSeen()) return;
    const QString words =
        ending.status == history::MessageStatus::Failed ? tr("An answer was broken off") : tr("Answer ready");
    const QString title = m_titleOf(conversation);
    m_portal.notify(words, title);
    emit told(words, title);
}

}  // namespace ingle::desktop
