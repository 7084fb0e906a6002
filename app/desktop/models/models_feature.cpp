#include "app/desktop/models/models_feature.h"

#include "app/desktop/services/text.h"

namespace ingle::desktop {

using history::RowId;

ModelsFeature::ModelsFeature(Services& services)
    : m_services(services),
      m_library(services.storage(), services.engine(), *services.model(), *services.notices()),
      m_offers(services.engine(), *services.opener(), *services.portal(), services.files().catalog,
               services.files().places),
      m_downloads(services.files().downloads, services.files().downloadSettles),
      m_fit(services.engine(), *services.model(), *services.settings()),
      m_smaller(services.engine(), *services.opener(), services.work(), *services.notices(),
                toQString(services.files().dataDir + "/models")) {
    connect(&m_fit, &FitAdvice::smallerWanted, &m_smaller, &SmallerModel::lookAt);
    connect(&m_downloads, &DownloadWatch::settled, services.opener(), &Opener::offer);
    connect(services.opener(), &Opener::arrivedWhole, &m_downloads, &DownloadWatch::setWhole);
    connect(services.opener(), &Opener::insteadWanted, this, [this] { m_services.actions()->run("models"); });
    connect(&services, &Services::languageChanged, services.model(), &ModelInUse::refresh);
    connect(&services, &Services::languageChanged, &m_offers, &ModelOffers::refresh);
    connect(&m_fit, &FitAdvice::wanted, this, [this] { emit m_services.actions()->pageWanted("fit"); });
    connect(&m_smaller, &SmallerModel::wanted, this,
            [this] { emit m_services.actions()->pageWanted("smaller"); });
    services.actions()->add(table());
    m_offers.refresh();
}

std::vector<Action> ModelsFeature::table() {
    using enum ActionScope;
    Actions& actions = *m_services.actions();
    return {
        {"models",
         QT_TRANSLATE_NOOP("Actions", "Models"),
         "Ctrl+L",
         "",
         "model",
         Window,
         {},
         actions.showPage("models")},
        {"modelBefore", QT_TRANSLATE_NOOP("Actions", "Use the model used before"), "Ctrl+Shift+L", "",
         "model", Window, [this](RowId) { return m_services.model()->canUseBefore(); },
         [this](RowId) { m_services.model()->useBefore(); }},
    };
}

}  // namespace ingle::desktop
