#include "app/desktop/settings/settings_feature.h"

#include <QDate>

#include <string_view>

#include "app/desktop/settings/about.h"
#include "app/desktop/settings/language.h"
#include "ingle/version.h"

namespace ingle::desktop {

using history::RowId;

SettingsFeature::SettingsFeature(Services& services)
    : m_services(services),
      m_devices(services.engine(), *services.settings()),
      m_crashes(services.files().dataDir + "/crashes", services.storage(), *services.notices()) {
    connect(&services.engine(), &EngineClient::restarted, &m_crashes, &CrashReports::look);
    connect(&m_crashes, &CrashReports::shown, services.actions(),
            [this] { emit m_services.actions()->pageWanted("crash"); });
    services.actions()->add(table());
}

QString SettingsFeature::about() const {
    const auto text = [](std::string_view latin) {
        return QString::fromLatin1(latin.data(), static_cast<qsizetype>(latin.size()));
    };
    return aboutText(text(version()), QDate::fromString(text(releaseDate()), Qt::ISODate),
                     QDate::currentDate());
}

QString SettingsFeature::language() const {
    return chosenLanguage(m_services.files().dataDir);
}

QVariantList SettingsFeature::languages() const {
    return desktop::languages();
}

void SettingsFeature::setLanguage(const QString& language) {
    if (language == this->language()) return;
    if (!chooseLanguage(m_services.files().dataDir, language))
        m_services.notices()->showToast(tr("The language could not be stored; it holds until you quit."));
    emit languageChanged();
    emit m_services.languageChanged();
}

std::vector<Action> SettingsFeature::table() {
    using enum ActionScope;
    Settings& settings = *m_services.settings();
    return {
        {"settings",
         QT_TRANSLATE_NOOP("Actions", "Settings"),
         "Ctrl+,",
         "",
         "settings",
         Window,
         {},
         m_services.actions()->showPage("settings")},
        {"largerText",
         QT_TRANSLATE_NOOP("Actions", "Larger text"),
         "Ctrl++",
         "Ctrl+=",
         "",
         Window,
         {},
         [&settings](RowId) { settings.stepTextScale(1); }},
        {"smallerText",
         QT_TRANSLATE_NOOP("Actions", "Smaller text"),
         "Ctrl+-",
         "",
         "",
         Window,
         {},
         [&settings](RowId) { settings.stepTextScale(-1); }},
        {"usualText",
         QT_TRANSLATE_NOOP("Actions", "Reset text size"),
         "Ctrl+0",
         "",
         "",
         Window,
         {},
         [&settings](RowId) { settings.setTextScale(100); }},
    };
}

}  // namespace ingle::desktop
