/// What of the model's context is taken by what is being written, before it is sent.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QString>
#include <QTimer>

#include "app/desktop/engine_client.h"
#include "app/desktop/viewmodels/model_list_model.h"
#include "app/desktop/viewmodels/settings.h"

namespace ingle::desktop {

/// Older turns do not count: they are dropped to make room. GUI thread.
class DraftMeasure : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("owned by the window")
    /// What to say about it; empty: it fits, as far as is known.
    Q_PROPERTY(QString problem READ problem NOTIFY problemChanged)
    /// How many tokens it has and how many are left; empty: it is short, or not counted yet.
    Q_PROPERTY(QString figures READ figures NOTIFY problemChanged)
  public:
    DraftMeasure(EngineClient& engine, const ModelListModel& models, const Settings& settings,
                 QObject* parent = nullptr);

    QString problem() const { return m_problem; }
    QString figures() const { return m_figures; }
    /// The text is counted once it has not changed for a moment.
    void look(const QString& text);

  signals:
    void problemChanged();

  private:
    void count();
    void say(const QString& problem, const QString& figures);

    EngineClient& m_engine;
    const ModelListModel& m_models;
    const Settings& m_settings;
    QTimer m_pause;
    QString m_text;
    QString m_problem;
    QString m_figures;
    protocol::RequestId m_asked = 0;
};

}  // namespace ingle::desktop
