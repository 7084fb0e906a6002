/// The devices a person can choose from.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QStringList>
#include <QVariantList>

#include "app/desktop/services/engine_client.h"
#include "app/desktop/services/settings.h"

namespace ingle::desktop {

class DeviceChoices : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("owned by the window")
    /// Objects with `value`, for Settings::device, and `name`. The one that is set is always among them.
    Q_PROPERTY(QVariantList choices READ choices NOTIFY choicesChanged)
  public:
    DeviceChoices(EngineClient& engine, Settings& settings, QObject* parent = nullptr);

    const QVariantList& choices() const { return m_choices; }
    /// Asks the engine, which tries out drivers that it does not know yet.
    Q_INVOKABLE void refresh();

  signals:
    void choicesChanged();

  private:
    void update();

    EngineClient& m_engine;
    Settings& m_settings;
    QStringList m_graphics;  ///< names of the graphics devices that may be used
    QVariantList m_choices;
};

}  // namespace ingle::desktop
