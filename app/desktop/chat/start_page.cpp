#include "app/desktop/chat/start_page.h"

namespace ingle::desktop {

StartPage::StartPage(const ModelListModel& models, QObject* parent) : QObject(parent), m_models(models) {
    connect(&models, &ModelListModel::stateChanged, this, &StartPage::changed);
    connect(&models, &ModelListModel::inspectingChanged, this, &StartPage::changed);
    connect(&models, &ModelListModel::listChanged, this, &StartPage::changed);
}

bool StartPage::guides() const {
    return m_models.guiding() && m_models.state() == ModelListModel::Ready && !m_models.inspecting();
}

bool StartPage::waits() const {
    return m_models.state() == ModelListModel::NoModel && !m_models.inspecting();
}

QString StartPage::heading() const {
    if (m_models.inspecting()) return tr("Looking at the file…");
    switch (m_models.state()) {
        case ModelListModel::NoModel:
            return tr("Drop a model here");
        case ModelListModel::Loading:
            return tr("Loading %1").arg(m_models.currentName());
        case ModelListModel::Missing:
            return tr("%1 is not where it was").arg(m_models.currentName());
        case ModelListModel::Failed:
            return tr("%1 could not be loaded").arg(m_models.currentName());
        case ModelListModel::Ready:
            return guides() ? tr("Ask the guide") : m_models.currentName();
    }
    return {};
}

QString StartPage::text() const {
    if (m_models.inspecting()) return {};
    switch (m_models.state()) {
        case ModelListModel::NoModel:
            return tr(
                "GGUF and rwkv.cpp files run from where they lie. Everything stays on this computer: "
                "Inglenook opens no internet connections.");
        case ModelListModel::Missing:
            return tr("Drop it again from where it is now.");
        case ModelListModel::Failed:
            return m_models.failure();
        case ModelListModel::Ready:
            if (m_models.isRemote())
                return tr("%1 answers: what you ask leaves this computer.").arg(m_models.device());
            return guides() ? tr("It is a very small model that knows Inglenook and nothing else. For "
                                 "everything else, "
                                 "drop a model file on this window.")
                            : tr("It answers on this computer, and nowhere else.");
        case ModelListModel::Loading:
            return {};
    }
    return {};
}

QStringList StartPage::starts() const {
    // In English, the language the guide knows best.
    if (guides())
        return {"How do I open a model?", "Which model fits my computer?", "Is what I write private?",
                "What can I do with Inglenook?"};
    if (m_models.state() != ModelListModel::Ready || m_models.inspecting()) return {};
    return {tr("Explain in simple words:"), tr("Write an e-mail that says:"), tr("Summarise this text:")};
}

QString StartPage::openModel() const {
    const bool needed =
        m_models.state() != ModelListModel::Ready && m_models.state() != ModelListModel::Loading;
    if (!needed || m_models.inspecting()) return {};
    return m_models.rowCount() > 0 ? tr("Choose a model…") : tr("Open a model…");
}

}  // namespace ingle::desktop
