// Every action by its name.
import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Inglenook

Card {
    id: card

    required property AppModel app
    readonly property Actions actions: app.services.actions

    objectName: "paletteCard"
    title: qsTr("All actions")

    body: ColumnLayout {
        id: palette

        function choose() {
            const chosen = list.model[list.currentIndex];
            if (!chosen)
                return;
            // The card gives the keyboard back first; some actions take it.
            card.close();
            card.actions.run(chosen.id);
        }

        spacing: Theme.s

        InputField {
            id: field
            objectName: "paletteField"
            Layout.fillWidth: true
            label: qsTr("Search the actions")
            placeholderText: qsTr("Search")
            Component.onCompleted: forceActiveFocus()
            onTextChanged: list.currentIndex = 0
            Keys.onUpPressed: list.decrementCurrentIndex()
            Keys.onDownPressed: list.incrementCurrentIndex()
            onAccepted: palette.choose()
        }
        ListView {
            id: list
            objectName: "paletteList"
            Layout.fillWidth: true
            Layout.fillHeight: true
            implicitHeight: contentHeight
            clip: true
            boundsBehavior: Flickable.StopAtBounds
            model: card.actions.revision >= 0 ? card.actions.find(field.text) : []
            // The keyboard stays in the field.
            onCurrentItemChanged: ScreenReader.say(currentItem ? (currentItem as T.ItemDelegate).Accessible.name : "")
            Accessible.role: Accessible.List
            Accessible.name: card.title
            T.ScrollBar.vertical: ScrollThumb {}
            delegate: T.ItemDelegate {
                id: row

                required property var modelData
                required property int index

                width: ListView.view.width
                height: Theme.controlSize
                hoverEnabled: true
                focusPolicy: Qt.NoFocus
                text: modelData.words
                Accessible.name: modelData.words + " " + modelData.keys
                onClicked: {
                    list.currentIndex = index;
                    palette.choose();
                }
                contentItem: RowLayout {
                    spacing: Theme.m

                    Icon {
                        Layout.leftMargin: Theme.s
                        Layout.preferredWidth: Theme.iconSize(17)
                        Layout.preferredHeight: Theme.iconSize(17)
                        name: row.modelData.icon
                        color: Theme.mutedText
                    }
                    Text {
                        textFormat: Text.PlainText
                        Layout.fillWidth: true
                        text: row.modelData.words
                        color: Theme.text
                        font.pixelSize: Theme.smallSize
                        elide: Text.ElideRight
                    }
                    Text {
                        textFormat: Text.PlainText
                        Layout.rightMargin: Theme.s
                        text: row.modelData.keys
                        color: Theme.mutedText
                        font.pixelSize: Theme.smallSize
                    }
                }
                background: Rectangle {
                    radius: Theme.radius
                    color: row.ListView.isCurrentItem ? Theme.pressed : row.hovered ? Theme.hover : "transparent"
                }
            }
        }
    }
}
