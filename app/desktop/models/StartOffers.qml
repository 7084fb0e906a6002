// Models to begin with, on the page of an empty chat: those that suit this computer, the smallest first.
import QtQuick
import Inglenook

Column {
    id: start

    required property AppModel app
    readonly property ModelOffers offers: app.models.offers

    objectName: "goodChoices"
    spacing: Theme.m
    visible: offers.numGood > 0

    Text {
        textFormat: Text.PlainText
        width: parent.width
        horizontalAlignment: Text.AlignHCenter
        wrapMode: Text.Wrap
        color: Theme.mutedText
        font.pixelSize: Theme.smallSize
        text: qsTr("%1 Recommended models to download:").arg(start.offers.computer)
    }
    Repeater {
        model: start.offers
        delegate: ModelOfferRow {
            required property bool good

            offers: start.offers
            portal: start.app.services.portal
            width: start.width
            shown: good
        }
    }
    TextButton {
        objectName: "allModels"
        anchors.horizontalCenter: parent.horizontalCenter
        text: qsTr("All models")
        onClicked: start.app.services.actions.run("models")
    }
}
