/// What the person chose; kept in the history's settings table.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QString>

#include "app/desktop/storage_thread.h"
#include "ingle/types.h"

namespace ingle::desktop {

/// Settings::device when no graphics device is to compute.
inline constexpr const char* kProcessorDevice = "processor";

class Settings : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("owned by the window")
    /// "system", "light" or "dark"
    Q_PROPERTY(QString theme MEMBER m_theme NOTIFY changed)
    Q_PROPERTY(QString systemPrompt MEMBER m_systemPrompt NOTIFY changed)
    Q_PROPERTY(double temperature MEMBER m_temperature NOTIFY changed)
    Q_PROPERTY(int topK MEMBER m_topK NOTIFY changed)
    Q_PROPERTY(double topP MEMBER m_topP NOTIFY changed)
    /// "" means a fresh seed for every answer.
    Q_PROPERTY(QString seed MEMBER m_seed NOTIFY changed)
    /// 0: chosen by the engine.
    Q_PROPERTY(int threads MEMBER m_threads NOTIFY changed)
    Q_PROPERTY(int contextTokens MEMBER m_contextTokens NOTIFY changed)
    /// What computes: "" is chosen by the engine, "processor", or the name of a graphics device.
    Q_PROPERTY(QString device MEMBER m_device NOTIFY changed)
  public:
    /// Reads the stored values; loaded() follows.
    explicit Settings(StorageThread& storage, QObject* parent = nullptr);

    /// The parameters of a new answer, with a fresh random seed unless one is fixed.
    SamplerParams sampler() const;
    LoadOptions loadOptions() const;
    const QString& device() const { return m_device; }
    std::string systemPrompt() const { return m_systemPrompt.toStdString(); }

    Q_INVOKABLE void restoreDefaults();

  signals:
    void changed();
    void loaded();

  private:
    void load();
    void save();

    StorageThread& m_storage;
    bool m_loading = true;
    QString m_theme;
    QString m_systemPrompt;
    double m_temperature = 0;
    int m_topK = 0;
    double m_topP = 0;
    QString m_seed;
    int m_threads = 0;
    int m_contextTokens = 0;
    QString m_device;
};

}  // namespace ingle::desktop
