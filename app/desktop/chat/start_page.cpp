#include "app/desktop/chat/start_page.h"

namespace ingle::desktop {

StartPage::StartPage(const ModelInUse& models, const Opener& opener, QObject* parent)
    : QObject(parent), m_models(models), m_opener(opener) {
    connect(&models, &ModelInUse::stateChanged, this, &StartPage::changed);
    connect(&opener, &Opener::lookingChanged, this, &StartPage::changed);
    connect(&models, &ModelInUse::entriesChanged, this, &StartPage::changed);
}

bool StartPage::guides() const {
    return m_models.guiding() && m_models.state() == ModelInUse::Ready && !m_opener.isLooking();
}

bool StartPage::waits() const {
    return m_models.state() == ModelInUse::NoModel && !m_opener.isLooking();
}

QString StartPage::heading() const {
    if (m_opener.isLooking()) return tr("Looking at the file…");
    switch (m_models.state()) {
        case ModelInUse::NoModel:
            return tr("Drop a model here");
        case ModelInUse::Loading:
            return tr("Loading %1").arg(m_models.currentName());
        case ModelInUse::Missing:
            return tr("%1 is not where it was").arg(m_models.currentName());
        case ModelInUse::Failed:
            return tr("%1 could not be loaded").arg(m_models.currentName());
        case ModelInUse::Ready:
            return guides() ? tr("Ask the guide") : m_models.currentName();
    }
    return {};
}

QString StartPage::text() const {
    if (m_opener.isLooking()) return {};
    switch (m_models.state()) {
        case ModelInUse::NoModel:
            return tr(
                "GGUF and rwkv.cpp files run from where they lie. Everything stays on this computer: "
                "Inglenook opens no internet connections.");
        case ModelInUse::Missing:
            return tr("Drop it again from where it is now.");
        case ModelInUse::Failed:
            return m_models.failure();
        case ModelInUse::Ready:
            if (m_models.isRemote()) return tr("What you ask is sent to %1.").arg(m_models.device());
            return guides() ? tr("It is a very small model that knows Inglenook and nothing else. For "
                                 "everything else, "
                                 "drop a model file on this window.")
                            : tr("It answers on this computer, and nowhere else.");
        case ModelInUse::Loading:
            return {};
    }
    return {};
}

QStringList StartPage::starts() const {
    // In English, the language the guide knows best.
    if (guides())
        return {"How do I open a model?", "Which model fits my computer?", "Is what I write private?",
                "What can I do with Inglenook?"};
    if (m_models.state() != ModelInUse::Ready || m_opener.isLooking()) return {};
    return {tr("Explain in simple words:"), tr("Write an e-mail that says:"), tr("Summarise this text:")};
}

QString StartPage::openModel() const {
    const bool needed = m_models.state() != ModelInUse::Ready && m_models.state() != ModelInUse::Loading;
    if (!needed || m_opener.isLooking()) return {};
    return !m_models.entries().empty() ? tr("Choose a model…") : tr("Open a model…");
}

}  // namespace ingle::desktop
