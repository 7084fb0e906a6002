#include "app/desktop/chat/chat_status.h"

#include <QLocale>

#include <algorithm>
#include <cmath>

namespace ingle::desktop {

ChatStatus::ChatStatus(const ChatController& chat, const ModelInUse& models, const Opener& opener,
                       const BackgroundWork& work, QObject* parent)
    : QObject(parent), m_chat(chat), m_models(models), m_opener(opener), m_work(work) {
    connect(&opener, &Opener::lookingChanged, this, &ChatStatus::changed);
    connect(&work, &BackgroundWork::changed, this, &ChatStatus::changed);
    connect(&chat, &ChatController::progressChanged, this, &ChatStatus::changed);
    connect(&chat, &ChatController::generationChanged, this, &ChatStatus::changed);
    for (const auto change :
         {&ModelInUse::stateChanged, &ModelInUse::wayChanged, &ModelInUse::loadFractionChanged})
        connect(&models, change, this, &ChatStatus::changed);
}

QString ChatStatus::text() const {
    QStringList parts{m_work.sentence(), m_models.fallback(), m_chat.promptNote()};
    // Of a finished answer its own row says it.
    const bool writes = m_chat.generation() != ChatController::Idle;
    if (const double speed = m_chat.tokensPerSecond(); writes && speed > 0)
        parts.append(tr("%1 tokens per second").arg(QLocale().toString(speed, 'f', speed < 10 ? 1 : 0)));
    parts.removeAll(QString());
    return parts.join("  ·  ");
}

QString ChatStatus::model() const {
    if (m_opener.isLooking()) return tr("Looking at the file…");
    const QString name = m_models.currentName();
    switch (m_models.state()) {
        case ModelInUse::Loading:
            break;
        case ModelInUse::Ready:
            if (m_models.isRemote()) return tr("%1 · sent to %2").arg(name, m_models.device());
            if (m_models.guiding()) return tr("Guide (help, no assistant)");
            if (!m_models.loadsAgain()) return name;
            break;
        case ModelInUse::Failed:
            return tr("%1 failed").arg(name);
        case ModelInUse::Missing:
            return tr("%1 is missing").arg(name);
        case ModelInUse::NoModel:
            return tr("Choose a model");
    }
    return tr("Loading %1… %2%").arg(name).arg(std::lround(m_models.loadFraction() * 100));
}

bool ChatStatus::modelFails() const {
    return m_models.state() == ModelInUse::Failed || m_models.state() == ModelInUse::Missing;
}

double ChatStatus::loadFraction() const {
    const bool loads = m_models.state() == ModelInUse::Loading || m_models.loadsAgain();
    return loads ? m_models.loadFraction() : 1;
}

QStringList ChatStatus::details() const {
    QStringList lines;
    if (m_models.state() != ModelInUse::Ready) return lines;
    lines.append(m_models.isRemote() ? tr("What you ask is sent to %1").arg(m_models.device())
                                     : m_models.device());
    const QLocale locale;
    const int used = m_chat.contextUsed();
    if (const int size = m_chat.contextSize(); size > 0)
        lines.append(tr("Context: %1 of %2 tokens").arg(locale.toString(used), locale.toString(size)));
    else if (used > 0)
        lines.append(tr("Context: %1 tokens, without end").arg(locale.toString(used)));
    lines.removeAll(QString());
    return lines;
}

double ChatStatus::contextShare() const {
    const int size = m_chat.contextSize();
    return size > 0 ? std::min(1.0, static_cast<double>(m_chat.contextUsed()) / size) : 0;
}

}  // namespace ingle::desktop
