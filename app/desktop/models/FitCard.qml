// A model that does not fit the memory that is free: the numbers, and what would help.
import QtQuick
import QtQuick.Layouts
import Inglenook

Card {
    id: card

    required property AppModel app
    readonly property FitAdvice fit: app.models.fit

    objectName: "fitCard"
    title: qsTr("Not enough memory is free")

    body: ColumnLayout {
        spacing: Theme.s
        Component.onCompleted: {
            const first = choices.count > 0 ? choices.itemAt(0) : anyway as Item;
            first.forceActiveFocus(Qt.TabFocusReason);
        }

        Text {
            Layout.fillWidth: true
            Layout.bottomMargin: Theme.s
            text: card.fit.sentence
            textFormat: Text.PlainText
            color: Theme.text
            font.pixelSize: Theme.textSize
            wrapMode: Text.Wrap
            Accessible.role: Accessible.AlertMessage
            Accessible.name: text
        }
        Repeater {
            id: choices
            model: card.fit.choices
            delegate: TextButton {
                required property string modelData
                required property int index

                objectName: "fitChoice-" + index
                Layout.fillWidth: true
                prominent: index === 0
                text: modelData
                Keys.onReturnPressed: clicked()
                Keys.onEnterPressed: clicked()
                onClicked: {
                    card.close();
                    card.fit.choose(index);
                }
            }
        }
        TextButton {
            id: anyway
            objectName: "fitAnyway"
            Layout.fillWidth: true
            text: qsTr("Load anyway (may be very slow)")
            Keys.onReturnPressed: clicked()
            Keys.onEnterPressed: clicked()
            onClicked: {
                card.close();
                card.fit.loadAnyway();
            }
        }
    }
}
