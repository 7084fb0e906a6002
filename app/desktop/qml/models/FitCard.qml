// A model that does not fit the memory that is free: the numbers, and what would help.
import QtQuick
import QtQuick.Layouts
import Inglenook

Card {
    id: card

    required property FitAdvice fit
    required property DesktopPortal portal

    objectName: "fitCard"
    title: qsTr("Not enough memory is free")

    Connections {
        target: card.fit
        function onWanted() {
            card.open();
        }
    }

    body: ColumnLayout {
        id: body

        /// The command of the choice that needs one.
        property string command: ""

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
                required property var modelData
                required property int index

                objectName: "fitChoice-" + index
                Layout.fillWidth: true
                prominent: index === 0
                text: modelData.text + (modelData.command.length > 0 ? "…" : "")
                Keys.onReturnPressed: clicked()
                Keys.onEnterPressed: clicked()
                onClicked: {
                    if (modelData.command.length > 0) {
                        body.command = modelData.command;
                        return;
                    }
                    card.close();
                    card.fit.choose(index);
                }
            }
        }
        Text {
            textFormat: Text.PlainText
            Layout.fillWidth: true
            visible: body.command.length > 0
            text: qsTr("This command writes a smaller file beside it; open that one then:")
            color: Theme.mutedText
            font.pixelSize: Theme.smallSize
            wrapMode: Text.Wrap
        }
        RowLayout {
            Layout.fillWidth: true
            visible: body.command.length > 0
            spacing: Theme.s

            Text {
                objectName: "fitCommand"
                Layout.fillWidth: true
                text: body.command
                textFormat: Text.PlainText
                color: Theme.text
                font.family: Theme.fixedFontFamily
                font.pixelSize: Theme.smallSize
                wrapMode: Text.WrapAnywhere
            }
            IconButton {
                iconName: "copy"
                hint: qsTr("Copy the command")
                onClicked: card.portal.copy(body.command)
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
