// Narrows a search: when, by whom, by which model, in which folder.
import QtQuick
import QtQuick.Templates as T
import Inglenook

Flow {
    id: filters

    required property SearchFilters search
    required property Folders folders

    objectName: "filterRow"
    spacing: Theme.xs

    /// One of several values of `key`; the first stands for all of them.
    component Filter: T.Button {
        id: filter

        required property string key
        required property var choices
        readonly property var chosen: choices.find(each => each.value === filters.search[key]) ?? choices[0]
        readonly property bool narrows: chosen !== choices[0]

        objectName: "filter-" + key
        visible: choices.length > 1
        width: Math.min(implicitContentWidth + 2 * Theme.s, filters.width)
        height: Math.round(Theme.controlSize * 0.8)
        hoverEnabled: true
        Keys.onReturnPressed: clicked()
        Keys.onEnterPressed: clicked()
        focusPolicy: Qt.TabFocus
        text: chosen.name
        Accessible.role: Accessible.ButtonMenu
        Accessible.name: text
        onClicked: menu.popup(filter, 0, filter.height)

        contentItem: Row {
            spacing: 2

            Text {
                anchors.verticalCenter: parent.verticalCenter
                width: Math.min(implicitWidth, filters.width - 2 * Theme.s - 17)
                text: filter.text
                textFormat: Text.PlainText
                color: filter.narrows ? Theme.accent : Theme.mutedText
                font.pixelSize: Theme.smallSize - 1
                elide: Text.ElideRight
            }
            Icon {
                anchors.verticalCenter: parent.verticalCenter
                width: Theme.iconSize(15)
                height: Theme.iconSize(15)
                name: "chevron-down"
                color: filter.narrows ? Theme.accent : Theme.mutedText
            }
        }
        background: Rectangle {
            radius: Theme.radius
            color: filter.hovered || menu.visible ? Theme.hover : "transparent"

            FocusRing {
                shown: filter.visualFocus
            }
        }

        PopupMenu {
            id: menu

            Instantiator {
                model: filter.choices
                delegate: PopupMenuItem {
                    required property var modelData

                    objectName: "filter-" + filter.key + "-" + modelData.value
                    text: modelData.name
                    iconName: modelData === filter.chosen ? "check" : ""
                    onTriggered: filters.search[filter.key] = modelData.value
                }
                onObjectAdded: (index, object) => menu.insertItem(index, object as PopupMenuItem)
                onObjectRemoved: (index, object) => menu.removeItem(object as PopupMenuItem)
            }
        }
    }

    function named(all: string, list: var, none: var): var {
        const choices = list.map(each => ({
                    "value": each.id,
                    "name": each.name
                }));
        choices.unshift({
            "value": none,
            "name": all
        });
        return choices;
    }

    Filter {
        key: "days"
        choices: [
            {
                "value": 0,
                "name": qsTr("Any time")
            },
            {
                "value": 1,
                "name": qsTr("Today")
            },
            {
                "value": 7,
                "name": qsTr("Last 7 days")
            },
            {
                "value": 30,
                "name": qsTr("Last 30 days")
            },
            {
                "value": 365,
                "name": qsTr("Last 12 months")
            }
        ]
    }
    Filter {
        key: "role"
        choices: [
            {
                "value": "",
                "name": qsTr("By anyone")
            },
            {
                "value": "user",
                "name": qsTr("What I wrote")
            },
            {
                "value": "assistant",
                "name": qsTr("Answers")
            }
        ]
    }
    Filter {
        key: "model"
        choices: filters.named(qsTr("Any model"), filters.search.models, "")
    }
    Filter {
        key: "folder"
        choices: filters.named(qsTr("Any folder"), filters.folders.all, 0)
    }
}
