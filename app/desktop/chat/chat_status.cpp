#include "app/desktop/chat/chat_status.h"

#include <QLocale>

#include <algorithm>
#include <cmath>

namespace ingle::desktop {

ChatStatus::ChatStatus(const ChatController& chat, const ModelListModel& models, const BackgroundWork& work,
                       QObject* parent)
    : QObject(parent), m_chat(chat), m_models(models), m_work(work) {
    connect(&work, &BackgroundWork::changed, this, &ChatStatus::changed);
    connect(&chat, &ChatController::progressChanged, this, &ChatStatus::changed);
    connect(&chat, &ChatController::generationChanged, this, &ChatStatus::changed);
    for (const auto change : {&ModelListModel::stateChanged, &ModelListModel::inspectingChanged,
                              &ModelListModel::wayChanged, &ModelListModel::loadFractionChanged})
        connect(&models, change, this, &ChatStatus::changed);
}

QString ChatStatus::text() const {
    QStringList parts{m_work.sentence(), m_models.fallback(), m_chat.promptNote()};
    if (const double speed = m_chat.tokensPerSecond(); speed > 0)
        parts.append(tr("%1 tokens per second").arg(QLocale().toString(speed, 'f', speed < 10 ? 1 : 0)));
    parts.removeAll(QString());
    return parts.join("  ·  ");
}

QString ChatStatus::model() const {
    if (m_models.inspecting()) return tr("Looking at the file…");
    const QString name = m_models.currentName();
    switch (m_models.state()) {
        case ModelListModel::Loading:
            break;
        case ModelListModel::Ready:
            if (m_models.isRemote()) return tr("%1 · leaves this computer").arg(name);
            if (!m_models.loadsAgain()) return name;
            break;
        case ModelListModel::Failed:
            return tr("%1 failed").arg(name);
        case ModelListModel::Missing:
            return tr("%1 is missing").arg(name);
        case ModelListModel::NoModel:
            return tr("Choose a model");
    }
    return tr("Loading %1… %2%").arg(name).arg(std::lround(m_models.loadFraction() * 100));
}

bool ChatStatus::modelFails() const {
    return m_models.state() == ModelListModel::Failed || m_models.state() == ModelListModel::Missing;
}

double ChatStatus::loadFraction() const {
    const bool loads = m_models.state() == ModelListModel::Loading || m_models.loadsAgain();
    return loads ? m_models.loadFraction() : 1;
}

QStringList ChatStatus::details() const {
    QStringList lines;
    if (m_models.state() != ModelListModel::Ready) return lines;
    lines.append(m_models.isRemote()
                     ? tr("%1 answers: what you ask leaves this computer").arg(m_models.device())
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
