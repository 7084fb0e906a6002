/// What a person can do about a model that does not fit the memory that is free.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QString>
#include <QStringList>

#include "app/desktop/services/engine_client.h"
#include "app/desktop/services/model_in_use.h"
#include "app/desktop/services/settings.h"

namespace ingle::desktop {

class FitAdvice : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("owned by the window")
    Q_PROPERTY(QString sentence READ sentence NOTIFY changed)
    Q_PROPERTY(QStringList choices READ choices NOTIFY changed)
  public:
    FitAdvice(EngineClient& engine, ModelInUse& models, Settings& settings, QObject* parent = nullptr);

    const QString& sentence() const { return m_sentence; }
    const QStringList& choices() const { return m_choices; }

    /// Loads the model so, or asks for a smaller one. It holds until another model is loaded: the memory may
    /// be free next time.
    Q_INVOKABLE void choose(int index);
    Q_INVOKABLE void loadAnyway();

  signals:
    void changed();
    /// A model was refused: there is something to choose.
    void wanted();
    /// The model of this path should be made smaller.
    void smallerWanted(const QString& path);

  private:
    void explain(const MemoryEstimate& memory);

    ModelInUse& m_models;
    Settings& m_settings;
    std::vector<FitChoice> m_fitting;
    QString m_sentence;
    QStringList m_choices;
};

}  // namespace ingle::desktop
