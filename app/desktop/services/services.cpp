#include "app/desktop/services/services.h"

#include <QCoreApplication>

#include <chrono>
#include <utility>

#include "app/desktop/services/screen_reader.h"
#include "app/desktop/services/storage_notices.h"

namespace ingle::desktop {

Services::Services(const AppFiles& files, const HostCommand& host)
    : m_files(files),
      m_storage(files.dataDir),
      m_engine(host, files.bridge),
      m_colours(findTypesetter()),
      m_formulas(findTypesetter()),
      m_saver(m_storage, m_notices),
      m_savePlace(m_portal, m_storage),
      m_settings(m_storage, m_notices),
      m_model(m_storage, m_engine, m_settings, m_notices, files.guide),
      m_opener(m_storage, m_engine, m_model, m_notices) {
    connect(&m_portal, &DesktopPortal::copied, this, [this] { m_notices.showToast(tr("Copied")); });
    connect(&m_portal, &DesktopPortal::linkCopied, this,
            [this](const QString& target) { m_notices.showToast(tr("Link copied: %1").arg(target)); });
    const auto rest = [this] { m_engine.restAfter(std::chrono::minutes(m_settings.restMinutes())); };
    connect(&m_settings, &Settings::changed, &m_engine, rest);
    connect(&m_settings, &Settings::loaded, &m_engine, rest);
    // The model is loaded with the stored settings.
    connect(&m_settings, &Settings::loaded, &m_model, &ModelInUse::start);
    connect(this, &Services::historyReplaced, &m_notices, &Notices::forgetUndos);
    connect(this, &Services::historyReplaced, &m_settings, &Settings::load);
    m_storage.onNotice([this](const storage::Notice& notice) {
        if (notice.kind == storage::Notice::Kind::FileOverwritten) emit historyLost();
        m_notices.showBanner(bannerOf(notice));
    });
    connect(&m_notices, &Notices::told, &ScreenReader::instance(), &ScreenReader::say);
    connect(&m_model, &ModelInUse::stateChanged, this, [this, before = ModelInUse::NoModel]() mutable {
        if (std::exchange(before, m_model.state()) != m_model.state() && m_model.state() == ModelInUse::Ready)
            ScreenReader::instance().say(tr("%1 is ready").arg(m_model.currentName()));
    });
    connect(this, &Services::languageChanged, &m_actions, &Actions::refresh);
    connect(&m_model, &ModelInUse::stateChanged, &m_actions, &Actions::refresh);
    connect(&m_notices, &Notices::undosChanged, &m_actions, &Actions::refresh);
}

}  // namespace ingle::desktop
