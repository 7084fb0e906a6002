/// What the person can choose of the program itself, and what it tells about itself. GUI thread.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QString>
#include <QVariantList>

#include <vector>

#include "app/desktop/services/services.h"
#include "app/desktop/settings/crash_reports.h"
#include "app/desktop/settings/device_choices.h"

namespace ingle::desktop {

class SettingsFeature : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("owned by the window")
    /// Which version this is, and how old.
    Q_PROPERTY(QString about READ about NOTIFY languageChanged)
    /// "" is the desktop's.
    Q_PROPERTY(QString language READ language WRITE setLanguage NOTIFY languageChanged)
    /// Of each "value" and "name".
    Q_PROPERTY(QVariantList languages READ languages NOTIFY languageChanged)
    Q_PROPERTY(ingle::desktop::DeviceChoices* devices READ devices CONSTANT)
    Q_PROPERTY(ingle::desktop::CrashReports* crashes READ crashes CONSTANT)
  public:
    explicit SettingsFeature(Services& services);

    QString about() const;
    QString language() const;
    void setLanguage(const QString& language);
    QVariantList languages() const;
    DeviceChoices* devices() { return &m_devices; }
    CrashReports* crashes() { return &m_crashes; }

  signals:
    void languageChanged();

  private:
    std::vector<Action> table();

    Services& m_services;
    DeviceChoices m_devices;
    CrashReports m_crashes;
};

}  // namespace ingle::desktop
