/// Getting, keeping and fitting models. GUI thread.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>

#include <vector>

#include "app/desktop/models/download_watch.h"
#include "app/desktop/models/fit_advice.h"
#include "app/desktop/models/model_library.h"
#include "app/desktop/models/model_offers.h"
#include "app/desktop/models/smaller_model.h"
#include "app/desktop/services/services.h"

namespace ingle::desktop {

class ModelsFeature : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("owned by the window")
    Q_PROPERTY(ingle::desktop::ModelLibrary* library READ library CONSTANT)
    Q_PROPERTY(ingle::desktop::ModelOffers* offers READ offers CONSTANT)
    Q_PROPERTY(ingle::desktop::FitAdvice* fit READ fit CONSTANT)
    Q_PROPERTY(ingle::desktop::SmallerModel* smaller READ smaller CONSTANT)
  public:
    explicit ModelsFeature(Services& services);

    ModelLibrary* library() { return &m_library; }
    ModelOffers* offers() { return &m_offers; }
    FitAdvice* fit() { return &m_fit; }
    SmallerModel* smaller() { return &m_smaller; }

  private:
    std::vector<Action> table();

    Services& m_services;
    ModelLibrary m_library;
    ModelOffers m_offers;
    DownloadWatch m_downloads;
    FitAdvice m_fit;
    SmallerModel m_smaller;
};

}  // namespace ingle::desktop
