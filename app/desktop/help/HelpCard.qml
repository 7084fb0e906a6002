// The help: all pages below each other, and a search that leaves the sections with the words.
import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Inglenook

Card {
    id: card

    required property CodeColours colours
    required property FormulaPictures formulas

    signal saveRequested(string text, string label)
    required property DesktopPortal portal

    objectName: "helpCard"
    title: qsTr("Help")
    width: Math.min(Theme.columnWidth, parent.width - 2 * Theme.l)

    body: ColumnLayout {
        spacing: Theme.m

        HelpModel {
            id: help
            query: search.text
        }
        InputField {
            id: search
            objectName: "helpSearch"
            Layout.fillWidth: true
            label: qsTr("Search the help")
            placeholderText: label
            focus: true
            Component.onCompleted: forceActiveFocus()
            // Reading goes on while the keyboard is here.
            Keys.onDownPressed: list.scrollTo(list.contentY + Theme.controlSize)
            Keys.onUpPressed: list.scrollTo(list.contentY - Theme.controlSize)
            Keys.onPressed: event => {
                event.accepted = event.key === Qt.Key_PageDown || event.key === Qt.Key_PageUp;
                if (event.accepted)
                    list.scrollTo(list.contentY
                                  + (event.key === Qt.Key_PageDown ? 1 : -1) * (list.height - Theme.controlSize));
            }
        }
        Flow {
            Layout.fillWidth: true
            spacing: Theme.s

            Repeater {
                model: help.pages
                delegate: TextButton {
                    required property var modelData

                    text: modelData.title
                    onClicked: list.positionViewAtIndex(modelData.row, ListView.Beginning)
                }
            }
        }
        Text {
            textFormat: Text.PlainText
            Layout.fillWidth: true
            visible: list.count === 0
            text: qsTr("Nothing found. Perhaps the guide knows: ask it in a conversation.")
            color: Theme.mutedText
            font.pixelSize: Theme.smallSize
            wrapMode: Text.Wrap
        }
        BlockList {
            id: list
            objectName: "helpText"
            colours: card.colours
            formulas: card.formulas
            Layout.fillWidth: true
            Layout.fillHeight: true
            // The card is as tall as the window lets it be, however little is found: nothing jumps while one types.
            Layout.preferredHeight: card.parent.height
            // Heights of blocks are known once they are made; few are, so all may be made at once.
            cacheBuffer: 1 << 16
            rows: help.rows
            onLinkActivated: target => card.portal.openLink(target)
            onLinkCopyRequested: target => card.portal.copyLink(target)
            onCopyRequested: text => card.portal.copy(text)
            onSaveRequested: (text, label) => card.saveRequested(text, label)
            T.ScrollBar.vertical: ScrollThumb {}
        }
    }
}
