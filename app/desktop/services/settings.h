/// What the person chose; kept in the history's settings table.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QString>
#include <QVariantList>

#include <algorithm>
#include <cmath>

#include "app/desktop/services/notices.h"
#include "app/desktop/services/storage_thread.h"
#include "app/history/chats/profile.h"
#include "ingle/types.h"

namespace ingle::desktop {

/// Settings::device when no graphics device is to compute.
inline constexpr const char* kProcessorDevice = "processor";

/// Settings::guesses when they come from the text itself.
inline constexpr const char* kLookUp = "lookUp";

class Settings : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("owned by the window")
    /// "system", "light" or "dark"
    Q_PROPERTY(QString theme MEMBER m_theme NOTIFY changed)
    /// Of all text, in per cent of what the desktop asks for.
    Q_PROPERTY(int textScale READ textScale WRITE setTextScale NOTIFY changed)
    Q_PROPERTY(QString systemPrompt MEMBER m_systemPrompt NOTIFY changed)
    Q_PROPERTY(double temperature MEMBER m_temperature NOTIFY changed)
    Q_PROPERTY(int topK MEMBER m_topK NOTIFY changed)
    Q_PROPERTY(double topP MEMBER m_topP NOTIFY changed)
    /// "" means a fresh seed for every answer.
    Q_PROPERTY(QString seed MEMBER m_seed NOTIFY changed)
    /// The most tokens of an answer; 0: as many as the model likes.
    Q_PROPERTY(int maxTokens MEMBER m_maxTokens NOTIFY changed)
    /// What becomes of a conversation that outgrows the context: "drop_oldest" or "refuse".
    Q_PROPERTY(QString whenFull MEMBER m_whenFull NOTIFY changed)
    /// 0: chosen by the engine.
    Q_PROPERTY(int threads MEMBER m_threads NOTIFY changed)
    Q_PROPERTY(int contextTokens MEMBER m_contextTokens NOTIFY changed)
    /// After so many minutes without a question the model gives its memory back; 0: never.
    Q_PROPERTY(int restMinutes MEMBER m_restMinutes NOTIFY changed)
    /// Where guesses of an answer's next tokens come from: "off", "lookUp", or the library's id of the model
    /// that guesses.
    Q_PROPERTY(QString guesses MEMBER m_guesses NOTIFY changed)
    /// What computes: "" is chosen by the engine, "processor", or the name of a graphics device.
    Q_PROPERTY(QString device MEMBER m_device NOTIFY changed)
    /// Where a graphics device keeps keys and values of conversations: "device" or "main", the computer's
    /// memory.
    Q_PROPERTY(QString kvMemory MEMBER m_kvMemory NOTIFY changed)
    /// The desktop is told of long answers that end while nobody looks.
    Q_PROPERTY(bool notifies MEMBER m_notifies NOTIFY changed)
    /// Who gives a new conversation its title: "question", the first one; "here", a model of this computer;
    /// "any", also one of another computer.
    Q_PROPERTY(QString titles MEMBER m_titles NOTIFY changed)
  public:
    /// Reads the stored values; loaded() follows.
    Settings(StorageThread& storage, Notices& notices, QObject* parent = nullptr);

    /// The parameters of a new answer, with a fresh random seed unless one is fixed.
    SamplerParams sampler() const;
    LoadOptions loadOptions() const;
    const QString& device() const { return m_device; }
    Guesses guesses() const;
    /// The library's id of the model that guesses; empty: none does.
    std::string draftModel() const { return guesses() == Guesses::Draft ? m_guesses.toStdString() : ""; }
    bool notifies() const { return m_notifies; }
    const QString& titles() const { return m_titles; }
    std::string systemPrompt() const { return m_systemPrompt.toStdString(); }
    /// The lowest layer: it sets everything but what is the model's own affair.
    history::Profile profile() const;
    int restMinutes() const { return std::clamp(m_restMinutes, 0, 10'000); }
    int textScale() const { return m_textScale; }
    /// Is brought to the nearest that can be read.
    void setTextScale(int percent);
    /// The next larger (1) or smaller (-1) one.
    void stepTextScale(int step);

    /// Can be undone.
    Q_INVOKABLE void restoreDefaults();
    /// Reads the stored values again; loaded() follows.
    void load();

  signals:
    void changed();
    void loaded();

  private:
    /// As a person writes it.
    static double rounded(float value) { return std::round(value * 100.0) / 100.0; }
    void save();

    StorageThread& m_storage;
    Notices& m_notices;
    bool m_loading = true;
    QVariantList m_defaults;  ///< of the properties, in their order
    // With their defaults. A new one is a property, its member here and its place in SettingsCard.qml.
    QString m_theme = "system";
    int m_textScale = 100;
    QString m_systemPrompt;
    double m_temperature = rounded(SamplerParams{}.temperature);
    int m_topK = SamplerParams{}.topK;
    double m_topP = rounded(SamplerParams{}.topP);
    QString m_seed;
    int m_maxTokens = 0;
    QString m_whenFull = "drop_oldest";
    int m_threads = 0;
    int m_contextTokens = 0;
    int m_restMinutes = 30;
    QString m_guesses = kLookUp;
    QString m_device;
    QString m_kvMemory = "device";
    bool m_notifies = true;
    QString m_titles = "here";
};

}  // namespace ingle::desktop
